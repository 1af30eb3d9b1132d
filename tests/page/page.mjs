// Opens a report in a headless browser: it draws, scrubs, jumps to the source, follows the keys, asks the network for nothing and runs no
// markup of the program. usage: node page.mjs PAGE SCREENSHOT [BROWSER]. Exit code 77: no browser or no playwright-core here.
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";

const [page, screenshot, browser = "/usr/bin/chromium"] = process.argv.slice(2);
let chromium;
try {
  ({ chromium } = createRequire(import.meta.url)("playwright-core"));
} catch {
  console.log("playwright-core is not installed");
  process.exit(77);
}
let instance;
try {
  instance = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
} catch (error) {
  console.log(`no browser: ${error.message}`);
  process.exit(77);
}

let failures = 0;
function expect(what, holds) {
  if (holds) return;
  ++failures;
  console.log(`not so: ${what}`);
}

const tab = await instance.newPage({ viewport: { width: 1280, height: 1000 } });
const requests = [], errors = [];
tab.on("request", (request) => requests.push(request.url()));
tab.on("pageerror", (error) => errors.push(error.message));
tab.on("dialog", (dialog) => (errors.push("a dialog opened"), dialog.dismiss()));
await tab.goto(pathToFileURL(page).href);
await tab.waitForSelector("#events tr.now");
expect("one request, for the page itself", requests.length === 1);
expect("lanes and slices are drawn", (await tab.locator("#timeline .slice").count()) >= 2);
expect("a title", (await tab.locator("h1").innerText()).startsWith("BUG "));
const text = () => tab.locator("#now").innerText();
await tab.keyboard.press("Home");
const first = await text();
expect("the first step", first.startsWith("step 1 "));
await tab.keyboard.press("ArrowRight");
expect("an arrow key moves on", (await text()).startsWith("step 2 "));
await tab.keyboard.press("n");
expect("n goes to a switch", (await text()) !== first);
await tab.locator("#scrub").fill("3");
expect("the slider scrubs", (await text()).startsWith("step 4 "));
await tab.locator("#events tr").nth(1).click();
expect("a click chooses an event", (await text()).startsWith("step 2 "));
const places = tab.locator("#events tr", { hasText: /:\d+$/ });
if ((await places.count()) > 0) {
  await places.first().click();
  expect("the source is shown", (await tab.locator("#code tr.now").count()) === 1);
}
const box = await tab.locator("#timeline svg").boundingBox();
await tab.mouse.click(box.x + 75, box.y + 10);
expect("a click on the timeline goes to its step", (await text()).startsWith("step 1 "));
expect("the passing run stands beside the failing one", (await tab.locator("#compared .slice").count()) >= 2);
for (const heading of ["Lines that decide", "Racing accesses", "Blind spots", "Effort", "Again"])
  expect(`a section "${heading}"`, (await tab.locator("h2", { hasText: heading }).count()) === 1);
expect("commands to paste", (await tab.locator("pre", { hasText: "heddle replay" }).count()) >= 2);
const tabs = await tab.locator("[role=tab]").count();
if (tabs > 1) {
  await tab.locator("[role=tab]").nth(1).click();
  expect("another schedule is chosen", (await tab.locator("[role=tab]").nth(1).getAttribute("aria-selected")) === "true");
  await tab.keyboard.press("1");
}
await tab.keyboard.press("d");
expect("nothing of the program became markup", (await tab.locator("main img, main script, main iframe").count()) === 0);
// What the eye would see: nothing runs out of the window, lanes have a height, the chosen step is in view.
const seen = await tab.evaluate(() => {
  const inside = (node, frame) => {
    const a = node.getBoundingClientRect(), b = frame.getBoundingClientRect();
    return a.bottom > b.top && a.top < b.bottom;
  };
  const events = document.getElementById("events");
  return {
    overflow: document.documentElement.scrollWidth > window.innerWidth,
    flat: [...document.querySelectorAll("#timeline .slice")].some((slice) => slice.getBoundingClientRect().height < 10),
    chosen: inside(events.querySelector("tr.now"), events),
    hostile: document.body.innerText.includes("<script>alert"),
  };
});
expect("nothing runs out of the window", !seen.overflow);
expect("lanes have a height", !seen.flat);
expect("the chosen step is in view", seen.chosen);
expect("markup of the program stands there as text", seen.hostile);
await tab.screenshot({ path: screenshot, fullPage: true });
await tab.emulateMedia({ colorScheme: "dark" });
const back = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
expect("dark where the reader wants it dark", back !== "rgb(255, 255, 255)");
await tab.screenshot({ path: screenshot.replace(/\.png$/, "-dark.png"), fullPage: true });
await tab.setViewportSize({ width: 420, height: 800 });
expect("fits a narrow window", await tab.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
expect(`no errors: ${errors.join("; ")}`, errors.length === 0);
await instance.close();
process.exit(failures === 0 ? 0 : 1);
