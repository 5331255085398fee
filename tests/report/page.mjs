// SPDX-License-Identifier: Apache-2.0
// The report page in a browser: page.mjs PLAYWRIGHT CHROMIUM WORK PAGE LABPAGE PLAINPAGE FAULTPAGE SHOWNPAGE OCCUPANCYPAGE TIMEPAGE.  PAGE: of a run that was checked; LABPAGE: of experiments;
// PLAINPAGE: the page of the run, built without charts; FAULTPAGE: of a kernel that goes out of bounds; SHOWNPAGE: `lab --html`'s own; TIMEPAGE: of
// predicted launches (run.py, timed_kernels).  Every click and key a reader may use, on a screen and on a phone, light and dark;
// an error on the console, a request to anywhere or a page wider than its window fails.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , playwright, chromium, work, page, labPage, plainPage, faultPage, shownPage, occupancyPage, timePage] = process.argv;
const { chromium: browser } = await import(pathToFileURL(playwright));
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const one = await browser.launch({ executablePath: chromium, args: FLAGS }); // for all pages: a start takes two seconds of processor time
let failed = 0;
let passed = 0;

function expect(what, good) {
  if (good) passed++;
  else {
    failed++;
    console.log(`failed: ${what}`);
  }
}

async function open(file, options, look) {
  const context = await one.newContext(options);
  const tab = await context.newPage();
  const name = `${file.split("/").pop()} ${options.viewport.width} ${options.colorScheme}`;
  tab.on("console", (m) => m.type() === "error" && expect(`${name}: console: ${m.text()}`, false));
  tab.on("pageerror", (e) => expect(`${name}: ${e.message}`, false));
  tab.on("request", (r) => expect(`${name}: asks for ${r.url()}`, r.url().startsWith("file://") || r.url().startsWith("data:")));
  await tab.goto(pathToFileURL(file).href);
  await look(tab, name);
  await context.close();
}

/* What is drawn when a frame begins has been drawn in the third from now. */
async function fits(tab, name) {
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
  expect(`${name}: no wider than its window`, await tab.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
}

/* For somebody to look at; they take longer than all else here. */
async function picture(tab, name) {
  if (process.env.WW_TEST_PICTURES) await tab.screenshot({ path: join(work, `${name.replaceAll(" ", "-")}.png`), fullPage: true });
}

async function sections(tab, name) {
  const names = await tab.locator("nav button").allTextContents();
  for (const [i, section] of names.entries()) {
    await tab.keyboard.press(String(i + 1));
    expect(`${name}: key ${i + 1} opens ${section}`, (await tab.locator('nav button[aria-selected="true"]').textContent()) === section);
    await fits(tab, `${name} ${section}`);
    await picture(tab, `${name} ${section}`);
  }
  return names;
}

async function lookAtRun(tab, name) {
  const names = await sections(tab, name);
  expect(`${name}: overview, findings, kernels, source`, names.join() === "overview,findings,kernels,source");
  await tab.keyboard.press("1");
  await tab.waitForSelector(".chart canvas");
  expect(`${name}: charts are drawn`, (await tab.locator(".chart canvas").count()) >= 2);
  const worst = await tab.locator(".finding b").allTextContents();
  expect(`${name}: the overview begins with the worst`, worst.map((w) => ["error", "warning", "note"].indexOf(w)).every((w, i, all) => i === 0 || all[i - 1] <= w));
  await tab.locator("button.more").click();
  expect(`${name}: all findings are listed`, (await tab.locator(".finding").count()) > worst.length);
  expect(`${name}: findings say what was tried`, (await tab.locator(".finding .mend").count()) >= 1);
  await tab.keyboard.press("j");
  expect(`${name}: j focuses the first finding`, await tab.evaluate(() => document.activeElement.classList.contains("finding")));
  await tab.keyboard.press("Enter");
  expect(`${name}: Enter shows its line`, (await tab.locator(".source .row.chosen").count()) === 1);
  expect(`${name}: the source is quoted`, (await tab.locator(".source .row.chosen").textContent()).includes("["));
  expect(`${name}: the lines are coloured by what was found`, (await tab.locator("select").nth(1).inputValue()) === "bank conflicts");
  expect(`${name}: the access is pictured`, (await tab.locator(".picture").count()) >= 1);
  const labels = await tab.locator(".picture").first().locator("b").allTextContents();
  expect(`${name}: its axes are labelled`, labels.join(" ").startsWith("lane ↓ bank → 0 1 2 ") && labels.length === 65);
  await picture(tab, `${name} picture`);
  await fits(tab, `${name} picture`);
}

async function lookAtLab(tab, name) {
  await sections(tab, name);
  await tab.waitForSelector(".chart canvas");
  expect(`${name}: rows are listed`, (await tab.locator(".wide tbody tr").count()) === 3);
  const first = () => tab.locator(".wide tbody tr td").first().textContent();
  const before = await first();
  await tab.locator(".wide th button").nth(2).click();
  expect(`${name}: numbers sort from the largest down`, (await first()) === "bank_transposed");
  await tab.locator(".wide th button").first().click();
  expect(`${name}: names sort from a on`, (await first()) === before);
}

async function lookAtPlain(tab, name) {
  await sections(tab, name);
  expect(`${name}: says that it has no charts`, (await tab.locator("#note").textContent()).startsWith("This page was built without charts: "));
  expect(`${name}: draws none`, (await tab.locator("canvas").count()) === 0);
}

async function lookAtFault(tab, name) {
  await sections(tab, name);
  await tab.keyboard.press("2");
  const shown = tab.locator("details.shown").first();
  await shown.locator("summary").click();
  await shown.locator(".picture").first().waitFor();
  expect(`${name}: the lanes that go wrong are red`, (await shown.locator(".picture").first().locator("i.bad").count()) === 8);
  expect(`${name}: what lies past the end is told apart`, (await shown.locator("i.outside.bad").count()) === 8 && (await shown.locator("i.fine:not(.outside)").count()) >= 24);
  expect(`${name}: a cell says which lane`, (await shown.locator("i.outside.bad").first().getAttribute("title")).includes("past the end: lane 24"));
  await fits(tab, name);
  await tab.keyboard.press("4");
  expect(`${name}: the source has colours`, (await tab.locator(".source .c-directive").count()) > 2 && (await tab.locator(".source .c-comment").count()) > 0);
  const plain = await tab.locator(".source .row").nth(2).locator("span").nth(2).textContent();
  expect(`${name}: and its text is as it was: ${plain}`, plain === ".version 7.0");
}

async function lookAtPictures(tab, name) {
  await sections(tab, name);
  const cards = tab.locator("figure.small");
  expect(`${name}: each kernel has its card`, (await cards.count()) === 3);
  expect(`${name}: with pictures, what they cost and the article's figure`, (await cards.locator(".picture").count()) >= 5 && (await cards.first().textContent()).includes("over the banks") && (await cards.allTextContents()).join().includes("the article's: "));
}

async function lookAtOccupancy(tab, name) {
  await sections(tab, name);
  await tab.waitForSelector(".chart canvas");
  expect(`${name}: three charts`, (await tab.locator(".chart canvas").count()) === 3);
  expect(`${name}: what limits it`, (await tab.locator(".card").allTextContents()).join().includes("registerslimits it"));
  expect(`${name}: a row for each size`, (await tab.locator(".wide tbody tr").count()) === 32);
}

async function lookAtTime(tab, name) {
  const at = (await sections(tab, name)).indexOf("time");
  expect(`${name}: launches that were predicted have a section`, at === 3);
  await tab.keyboard.press(String(at + 1));
  const kernel = (title) => tab.locator("details.kernel").filter({ has: tab.locator("summary", { hasText: new RegExp(`^${title}: `) }) });
  const open = async (title) => {
    if ((await kernel(title).getAttribute("open")) === null) await kernel(title).locator("summary").first().click();
    await kernel(title).locator("h3").first().waitFor();
    return kernel(title);
  };
  expect(`${name}: one of each kernel`, (await tab.locator("details.kernel").count()) === 305);
  expect(`${name}: the longest are open and drawn, no others`, (await tab.locator("details.kernel[open]").count()) === 4 && (await tab.locator(".drawn").count()) <= 16);
  expect(`${name}: who has no prediction is named`, (await tab.locator("main > p").allTextContents()).join().includes("Not predicted: unknown."));
  const scale = await open("scale");
  expect(`${name}: four pictures`, (await scale.locator("svg.drawn").count()) === 4);
  for (const said of await scale.locator("svg.drawn").evaluateAll((all) => all.map((s) => [s.getAttribute("role"), s.getAttribute("aria-label")].join(" "))))
    expect(`${name}: a picture says what it shows: ${said}`, /^img (bars: latency |roofline: .* warp instructions a ns of 1045: |floating point: .* GFLOP\/s in single precision, .* operations a byte of device memory, |places for warps: 10 blocks of 6 warps: 60 of 64)/.test(said));
  const texts = (await scale.locator("svg text").allTextContents()).join("|");
  expect(`${name}: axes and bars are labelled`, ["warp instructions a byte", "warp instructions a ns", "operations a byte of device memory", "GFLOP/s", "latency", "device memory", "1000"].every((t) => texts.includes(t)));
  expect(`${name}: both levels have their point`, (await scale.locator(".point1").count()) === 2 && (await scale.locator(".point2").count()) === 1 && (await scale.locator(".roof").count()) === 3);
  expect(`${name}: places that are taken, and those that the grid leaves`, (await scale.locator("svg rect[class^=taken]").count()) === 6 && (await scale.locator("svg rect.idle").count()) === 54 && (await scale.locator("svg rect.none").count()) === 4);
  expect(`${name}: words fit their picture`, await scale.locator("svg text").evaluateAll((all) => all.every((t) => { const a = t.getBoundingClientRect(), b = t.closest("svg").getBoundingClientRect(); return a.left >= b.left - 1 && a.right <= b.right + 1; })));
  const still = await open("still");
  expect(`${name}: nothing moved, no point`, (await still.locator(".point").count()) === 1 && (await still.textContent()).includes("It moves nothing through device memory."));
  const idle = await open("idle");
  expect(`${name}: nothing executed, nothing placed`, (await idle.locator(".point").count()) === 0 && !(await idle.textContent()).match(/NaN|Infinity|undefined/));
  const old = await open("old");
  expect(`${name}: what an older document lacks is said`, (await old.textContent()).match(/was written by an older version/g)?.length === 3);
  const mixed = await open("mixed");
  const computed = await mixed.textContent();
  expect(`${name}: 2 million operations in 700 µs and of 1 MB: ${computed}`, computed.includes("2.86 GFLOP/s in single precision, 2 operations a byte of device memory") && computed.includes("1.43 GFLOP/s in double precision, 1 operations a byte"));
  expect(`${name}: no roof where the card's figure is not known`, computed.includes("0.714 GFLOP/s in half precision, 0.5 operations a byte of device memory; the most that the card does is not known") && (await mixed.locator(".roof3, .point3").count()) === 0 && (await mixed.locator(".roof").count()) === 4);
  await fits(tab, `${name} opened`);
}

const wide = { viewport: { width: 1200, height: 900 } };
const phone = { viewport: { width: 390, height: 800 }, hasTouch: true };
await open(page, { ...wide, colorScheme: "light" }, lookAtRun);
await open(page, { ...phone, colorScheme: "dark" }, lookAtRun);
await open(labPage, { ...wide, colorScheme: "dark" }, lookAtLab);
await open(plainPage, { ...phone, colorScheme: "light" }, lookAtPlain);
await open(faultPage, { ...wide, colorScheme: "dark" }, lookAtFault);
await open(faultPage, { ...phone, colorScheme: "light" }, lookAtFault);
await open(occupancyPage, { ...wide, colorScheme: "dark" }, lookAtOccupancy);
await open(occupancyPage, { ...phone, colorScheme: "light" }, lookAtOccupancy);
await open(shownPage, { ...wide, colorScheme: "light" }, lookAtPictures);
await open(shownPage, { ...phone, colorScheme: "dark" }, lookAtPictures);
await open(timePage, { ...wide, colorScheme: "light" }, lookAtTime);
await open(timePage, { ...phone, colorScheme: "dark" }, lookAtTime);
await one.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
