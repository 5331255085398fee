/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML by libyaml, JSON by jansson, both into the same values.  YAML scalars are texts: whoever wants a number reads it.  Aliases can make a
 * document without end, or a thousand million times its text: depth and number of values are limited, and what is beyond is an error. */
#include "cli/yaml.h"

#include <string.h>

#if defined(WW_HAVE_YAML)
#include <yaml.h>
#endif

const char *yaml_stray_key(json_t *o, const char *const *known)
{
    const char *key;
    json_t     *value;
    json_object_foreach(o, key, value)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            return key;
    }
    return NULL;
}

#if defined(WW_HAVE_YAML)
enum {
    DEEPEST    = 8,
    MOST_NODES = 1 << 20
}; /* aliases can make a document without end, or a thousand million times its text */

/* *left: nodes that may still be made; 0 at the end says that the document is larger. */
static json_t *node_json(yaml_document_t *d, const yaml_node_t *n, int depth, size_t *left)
{
    json_t *j;
    *left -= *left > 0;
    switch (depth < DEEPEST && *left ? n->type : YAML_NO_NODE) {
    case YAML_SCALAR_NODE: return json_stringn((const char *)n->data.scalar.value, n->data.scalar.length);
    case YAML_SEQUENCE_NODE:
        j = json_array();
        for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top && *left; i++)
            json_array_append_new(j, node_json(d, yaml_document_get_node(d, *i), depth + 1, left));
        return j;
    case YAML_MAPPING_NODE:
        j = json_object();
        for (yaml_node_pair_t *i = n->data.mapping.pairs.start; i < n->data.mapping.pairs.top && *left; i++) {
            const yaml_node_t *k = yaml_document_get_node(d, i->key);
            if (k->type == YAML_SCALAR_NODE)
                json_object_set_new(j, (const char *)k->data.scalar.value,
                                    node_json(d, yaml_document_get_node(d, i->value), depth + 1, left));
        }
        return j;
    default: return json_null();
    }
}

static json_t *read_yaml(const char *file, const char *text, size_t len, Str *why)
{
    yaml_parser_t   p;
    yaml_document_t d;
    json_t         *j = NULL;
    yaml_parser_initialize(&p);
    yaml_parser_set_input_string(&p, (const unsigned char *)text, len);
    if (!yaml_parser_load(&p, &d)) {
        str_printf(why, "%s:%zu:%zu: error: %s", file, p.problem_mark.line + 1, p.problem_mark.column + 1,
                   p.problem ? p.problem : "not YAML");
    } else {
        const yaml_node_t *root = yaml_document_get_root_node(&d);
        size_t             left = MOST_NODES;
        j                       = root ? node_json(&d, root, 0, &left) : json_object();
        yaml_document_delete(&d);
        if (!left) {
            str_printf(why,
                       "%s: error: with its aliases (*name) written out it has more than %d values; write them "
                       "out, or leave some out",
                       file, MOST_NODES);
            json_decref(j);
            j = NULL;
        }
    }
    yaml_parser_delete(&p);
    return j;
}
#else
static json_t *read_yaml(const char *file, const char *text, size_t len, Str *why)
{
    (void)text;
    (void)len;
    str_printf(why, "%s: this build has no libyaml; write it as JSON, in a file that ends in .json", file);
    return NULL;
}
#endif

json_t *yaml_read(const char *file, const char *text, size_t len, Str *why)
{
    size_t       n = strlen(file);
    json_error_t e;
    if (n <= 5 || strcmp(file + n - 5, ".json") != 0)
        return read_yaml(file, text, len, why);
    json_t *doc = json_loadb(text, len, 0, &e);
    if (!doc)
        str_printf(why, "%s:%d:%d: error: %s", file, e.line, e.column, e.text);
    return doc;
}
