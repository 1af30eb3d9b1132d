#!/usr/bin/env python3
"""Opens a report in a headless browser: it draws, scrubs, jumps to the source, follows the keys, asks the network for nothing and runs no
markup of the program.

usage: page.py PAGE SCREENSHOT
"""
import pathlib
import sys

from browser import Browser

# What the eye would see: nothing runs out of the window, lanes have a height, the chosen step is in view.
SEEN = """(() => {
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
})()"""
SCRUB = """(() => {
  const slider = document.getElementById("scrub");
  slider.value = "3";
  slider.dispatchEvent(new Event("input", {bubbles: true}));
})()"""
failures = []


def expect(what, holds):
    if not holds:
        failures.append(what)
        print(f"not so: {what}")


def look(browser, page, screenshot):
    def count(selector, text=None):
        with_text = f".filter((node) => {text}.test(node.innerText.trim()))" if text else ""
        return browser.evaluate(f"[...document.querySelectorAll({selector!r})]{with_text}.length")

    def step():
        return browser.evaluate("document.getElementById('now').innerText")

    browser.resize(1280, 1000)
    browser.open(page)
    browser.wait_for("!!document.querySelector('#events tr.now')")
    expect(f"one request, for the page itself: {browser.requests}", len(browser.requests) == 1)
    expect("lanes and slices are drawn", count("#timeline .slice") >= 2)
    expect("a title", browser.evaluate("document.querySelector('h1').innerText").startswith("BUG "))
    browser.press("Home")
    first = step()
    expect("the first step", first.startswith("step 1 "))
    browser.press("ArrowRight")
    expect("an arrow key moves on", step().startswith("step 2 "))
    browser.press("n")
    expect("n goes to a switch", step() != first)
    browser.evaluate(SCRUB)
    expect("the slider scrubs", step().startswith("step 4 "))
    browser.click("document.querySelectorAll('#events tbody tr')[1]")
    expect("a click chooses an event", step().startswith("step 2 "))
    place = r"[...document.querySelectorAll('#events tbody tr')].find((row) => /:\d+/.test(row.innerText))"
    expect("events have places in the source", browser.evaluate(f"!!{place}"))
    browser.click(place)
    expect("the source is shown", count("#code tr.now") == 1)
    browser.click("document.querySelector('#timeline svg')", 75, 10)
    expect("a click on the timeline goes to its step", step().startswith("step 1 "))
    expect("the passing run stands beside the failing one", count("#compared .slice") >= 2)
    expect("threads are columns", count("#events thead th") >= 3)
    expect("arrows for what caused what", count("#events .arrows path") >= 2)
    left = "[...document.querySelectorAll('.arrows > path')].every((path) => path.getBBox().x >= 0)"
    expect("no arrow leaves its frame to the left", browser.evaluate(left))
    browser.evaluate("document.getElementById('events').scrollTop = 40")
    browser.wait_for("document.getElementById('compared-events').scrollTop === document.getElementById('events').scrollTop")
    expect("what the run could not see is said", browser.evaluate("document.body.innerText.includes('Threads were switched at')"))
    for heading in ("Lines that decide", "Racing accesses", "Blind spots", "Effort", "Again"):
        expect(f'a section "{heading}"', count("h2", f"/{heading}/i") == 1)
    if count("#slice"):
        last = "[...document.querySelectorAll('#slice tr')].at(-1)"
        browser.click(last)
        expect("a click shows where a value came from", count("#slice tr.decides") >= 1 and count("#slice tr.now") == 1)
        expect("and says so", "uses what came from" in browser.evaluate("document.getElementById('came-from').innerText"))
    expect("commands to paste", count("pre", "/heddle replay/") >= 2)
    if count("[role=tab]") > 1:
        tab = "document.querySelectorAll('[role=tab]')[1]"
        browser.click(tab)
        expect("another schedule is chosen", browser.evaluate(f"{tab}.getAttribute('aria-selected')") == "true")
        browser.press("1")
    browser.press("d")
    expect("nothing of the program became markup", count("main img, main script, main iframe") == 0)
    seen = browser.evaluate(SEEN)
    expect("nothing runs out of the window", not seen["overflow"])
    expect("lanes have a height", not seen["flat"])
    expect("the chosen step is in view", seen["chosen"])
    expect("markup of the program stands there as text", seen["hostile"])
    browser.screenshot(screenshot)
    background = "getComputedStyle(document.body).backgroundColor"
    browser.prefer("dark")
    expect("dark where the reader wants it dark", browser.evaluate(background) != "rgb(255, 255, 255)")
    browser.screenshot(screenshot.with_name(screenshot.stem + "-dark.png"))
    browser.resize(420, 800)
    expect("fits a narrow window", browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
    expect(f"no errors: {'; '.join(browser.errors)}", not browser.errors)


def main():
    page, screenshot = map(pathlib.Path, sys.argv[1:])
    with Browser() as browser:
        look(browser, page, screenshot)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
