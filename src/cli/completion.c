/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion scripts from the rows of options.def, for bash, zsh and fish.  They are plain text that calls nothing: a
 * script knows the verbs, each verb's options, the words of a choice, the profiles and the experiments; everything else
 * completes as a file name. */
#include "cli/cli.h"

#include <string.h>

#include "check/rules.h"
#include "lab/lab.h"
#include "model/profile.h"

/* Text inside single quotes of a shell. */
static void quoted(Str *out, const char *text)
{
    str_addc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            str_add(out, "'\\''");
        else
            str_addc(out, *text);
    }
    str_addc(out, '\'');
}

/* Options whose value begins with a rule. */
static bool takes_rules(const CliOption *o)
{
    return !strcmp(o->name, "check") || !strcmp(o->name, "fail-on");
}

static bool has_words(const CliOption *o)
{
    return o->kind == CLI_CHOICE || o->kind == CLI_PROFILE || takes_rules(o);
}

/* Categories, then rules; severities too where they are taken. */
static void rules(Str *out)
{
    for (int i = 0; i < RULE_COUNT; i++) {
        const Rule *r = rule_row((RuleId)i);
        int         k = 0;
        while (k < i && strcmp(r->category, rule_row((RuleId)k)->category) != 0)
            k++;
        if (k == i)
            str_printf(out, "%s%s", i ? " " : "", r->category);
    }
    for (int i = 0; i < RULE_COUNT; i++)
        str_printf(out, " %s", rule_row((RuleId)i)->id);
}

/* The words an option's value may be, with blanks between them. */
static void words(Str *out, const CliOption *o)
{
    const Profile *p;
    for (const char *s = o->values; *s; s++)
        str_addc(out, *s == '|' ? ' ' : *s);
    if (takes_rules(o)) {
        str_add(out, !strcmp(o->name, "fail-on") ? "error warning note " : "");
        rules(out);
    }
    for (size_t i = 0; o->kind == CLI_PROFILE && (p = profile_at(i)); i++)
        str_printf(out, "%s%s", i ? " " : "", p->name);
}

static void experiments(Str *out)
{
    for (size_t i = 0; i < lab_experiment_count(); i++)
        str_printf(out, "%s%s", i ? " " : "", lab_experiment_name(lab_experiment(i)));
}

static void bash(Str *out)
{
    size_t           nv, no;
    const CliVerb   *v = cli_verbs(&nv);
    const CliOption *o = cli_options(&no);
    str_add(out, "# bash completion for warpwright\n_warpwright()\n{\n"
                 "    local word=\"${COMP_WORDS[COMP_CWORD]}\" last=\"${COMP_WORDS[COMP_CWORD - 1]}\" "
                 "verb=\"${COMP_WORDS[1]}\"\n"
                 "    COMPREPLY=()\n    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < nv; i++)
        str_printf(out, "%s ", v[i].name);
    str_add(out, "--help --version' -- \"$word\"))\n        return\n    fi\n    case \"$verb $last\" in\n");
    for (size_t i = 0; i < no; i++) {
        if (!has_words(&o[i]))
            continue;
        if (o[i].kind == CLI_OPTIONAL) /* bash breaks words at = */
            str_printf(out, "        '%s =') [[ ${COMP_WORDS[COMP_CWORD - 2]} == --%s ]] && COMPREPLY=($(compgen -W '",
                       o[i].verb, o[i].name);
        else
            str_printf(out, "        '%s --%s') COMPREPLY=($(compgen -W '", o[i].verb, o[i].name);
        words(out, &o[i]);
        str_add(out, "' -- \"$word\")); return ;;\n");
    }
    str_add(out, "    esac\n    if [[ $word != -* ]]; then\n");
    str_add(out, "        [[ $verb == help ]] && COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < nv; i++)
        str_printf(out, "%s%s", i ? " " : "", v[i].name);
    str_add(out, "' -- \"$word\"))\n        [[ $verb == lab ]] && COMPREPLY=($(compgen -W '");
    experiments(out);
    str_add(out, "' -- \"$word\"))\n        [[ $verb == rules ]] && COMPREPLY=($(compgen -W '");
    rules(out);
    str_add(out, "' -- \"$word\"))\n        return\n    fi\n    case \"$verb\" in\n");
    for (size_t i = 0; i < nv; i++) {
        str_printf(out, "        %s) COMPREPLY=($(compgen -W '", v[i].name);
        for (size_t j = 0; j < no; j++) {
            if (strcmp(o[j].verb, v[i].name) == 0)
                str_printf(out, "--%s ", o[j].name);
        }
        str_add(out, "--help' -- \"$word\")) ;;\n");
    }
    str_add(out, "    esac\n}\ncomplete -o default -F _warpwright warpwright\n");
}

/* zsh's _arguments reads [ ] and : in a spec. */
static void zsh_text(Str *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            str_addc(out, '\\');
        if (*text == '\'')
            str_add(out, "'\\''");
        else
            str_addc(out, *text);
    }
}

static void zsh_option(Str *out, const CliOption *o)
{
    str_printf(out, " \\\n                '--%s[", o->name);
    zsh_text(out, o->text);
    str_addc(out, ']');
    if (has_words(o)) {
        str_printf(out, ":%s:(", o->meta);
        words(out, o);
        str_addc(out, ')');
    } else if (o->kind != CLI_FLAG && o->kind != CLI_OPTIONAL) {
        str_printf(out, ":%s:%s", o->meta, o->kind == CLI_FILE ? "_files" : " ");
    }
    str_addc(out, '\'');
}

static void zsh(Str *out)
{
    size_t           nv, no;
    const CliVerb   *v = cli_verbs(&nv);
    const CliOption *o = cli_options(&no);
    str_add(
        out,
        "#compdef warpwright\n# zsh completion for warpwright\n_warpwright()\n{\n    local -a verbs\n    verbs=(\n");
    for (size_t i = 0; i < nv; i++) {
        str_printf(out, "        '%s:", v[i].name);
        zsh_text(out, v[i].summary);
        str_add(out, "'\n");
    }
    str_add(out, "    )\n    if ((CURRENT == 2)); then\n        _describe 'verb' verbs\n        return\n    fi\n"
                 "    local verb=$words[2]\n    shift words\n    ((CURRENT--))\n    case $verb in\n");
    for (size_t i = 0; i < nv; i++) {
        str_printf(out, "        %s)\n            _arguments '--help[this verb]'", v[i].name);
        for (size_t j = 0; j < no; j++) {
            if (strcmp(o[j].verb, v[i].name) == 0)
                zsh_option(out, &o[j]);
        }
        if (strcmp(v[i].name, "lab") == 0 || strcmp(v[i].name, "rules") == 0) {
            str_printf(out, " \\\n                '*:%s:(", *v[i].name == 'l' ? "experiment" : "rule");
            (*v[i].name == 'l' ? experiments : rules)(out);
            str_add(out, ")'\n            ;;\n");
        } else {
            str_add(out, " \\\n                '*:operand:_files'\n            ;;\n");
        }
    }
    str_add(out, "    esac\n}\n_warpwright \"$@\"\n");
}

static void fish(Str *out)
{
    size_t           nv, no;
    const CliVerb   *v = cli_verbs(&nv);
    const CliOption *o = cli_options(&no);
    str_add(out, "# fish completion for warpwright\n");
    for (size_t i = 0; i < nv; i++) {
        str_printf(out, "complete -c warpwright -n __fish_use_subcommand -f -a %s -d ", v[i].name);
        quoted(out, v[i].summary);
        str_addc(out, '\n');
    }
    for (size_t i = 0; i < no; i++) {
        str_printf(out, "complete -c warpwright -n '__fish_seen_subcommand_from %s' -l %s", o[i].verb, o[i].name);
        if (o[i].letter)
            str_printf(out, " -s %c", o[i].letter);
        if (has_words(&o[i])) {
            str_add(out, " -x -a '");
            words(out, &o[i]);
            str_addc(out, '\'');
        } else if (o[i].kind != CLI_FLAG && o[i].kind != CLI_OPTIONAL) {
            str_add(out, o[i].kind == CLI_FILE ? " -r" : " -x");
        }
        str_add(out, " -d ");
        quoted(out, o[i].text);
        str_addc(out, '\n');
    }
}

bool cli_completion(const char *shell, Str *out)
{
    static const struct {
        const char *name;
        void (*write)(Str *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].write(out);
            return true;
        }
    }
    return false;
}
