// The page about one bug. Everything that comes from the program is put in as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const hues = [212, 32, 140, 280, 0, 180, 60, 320, 100, 250];

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function draw(tag, attributes = {}, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const colour = (thread) => `hsl(${hues[thread % hues.length]} 60% 50%)`;
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : word.endsWith("h") ? "es" : "s"}`;

// Which run is shown, and how far in it: an index into its list.
const state = { run: 0, at: 0 };
const run = () => data.runs[state.run];
const placeOf = (event) => (event.length > 2 ? { file: event[2], line: event[3] } : null);

function head() {
  const b = data.bug;
  return make("header", {},
    make("h1", {}, `BUG ${b.id}  ${b.title}`),
    b.ending ? make("p", { class: "dim" }, b.ending) : null,
    make("p", { id: "why" }, b.why),
    b.claim ? make("p", { class: "claim", id: "claim" }, b.claim) : null,
    b.enough ? make("p", { class: "claim" }, b.enough) : null,
    b.parts?.length ? make("ol", { class: "claim", id: "parts" }, ...b.parts.map((part) => make("li", {}, part))) : null,
    b.doomed ? make("p", { id: "doomed" }, b.doomed) : null,
    make("p", { id: "fix" }, make("b", {}, "Fix: "), b.fix),
    make("p", { class: "dim" }, `${b.command}  ·  ${b.saved}  ·  heddle ${b.version}`));
}

const tabs = make("div", { class: "tabs", role: "tablist", "aria-label": "Schedules" });
const timeline = make("div", { class: "timeline", id: "timeline" });
// The run that the chosen one is held against: the passing one, or the failing one beside any other.
const compared = make("div", { class: "timeline", id: "compared" });
const comparedTitle = make("p", { class: "dim", id: "compared-title" });
const slider = make("input", { type: "range", min: 0, value: 0, id: "scrub", "aria-label": "Step" });
const now = make("output", { id: "now" });
const events = make("div", { class: "events", id: "events", tabindex: 0, "aria-label": "Events" });
const code = make("div", { class: "code", id: "code", tabindex: 0, "aria-label": "Source" });
const codeName = make("h2", { id: "file" }, "Source");
const summary = make("p", { id: "summary" });

function drawTabs() {
  tabs.replaceChildren(...data.runs.map((r, i) =>
    make("button", { role: "tab", "aria-selected": String(i === state.run), "data-run": r.id, onclick: () => choose(i) }, r.title)));
}

// The threads of a run as lanes over time. Returns the picture and how to move its cursor.
function lanes(r, onStep) {
  const left = 70, laneHeight = 30, top = 10;
  const step = Math.max(2, Math.min(22, 1200 / Math.max(1, r.list.length)));
  const used = [...new Set(r.list.map((e) => e[0]))].sort((a, b) => a - b);
  const lane = new Map(used.map((thread, i) => [thread, top + i * laneHeight]));
  const width = left + r.list.length * step + 20, height = top + used.length * laneHeight + 8;
  const svg = draw("svg", { width, height, role: "img", "aria-label": `Threads over time: ${r.title}` });
  for (const thread of used) {
    const y = lane.get(thread);
    svg.append(draw("text", { x: 8, y: y + 17 }, r.threads[thread]));
    svg.append(draw("line", { class: "lane", x1: left, x2: width, y1: y + 13, y2: y + 13 }));
  }
  const stopped = new Set(r.preempted.map((i) => i - r.first));
  for (let begin = 0; begin < r.list.length;) {
    const thread = r.list[begin][0];
    let end = begin;
    while (end < r.list.length && r.list[end][0] === thread) ++end;
    const x = left + begin * step, y = lane.get(thread);
    const slice = draw("rect", { class: "slice", x, y: y + 4, width: Math.max(1, (end - begin) * step - 1), height: 18, fill: colour(thread) });
    slice.append(draw("title", {}, `${r.threads[thread]}: steps ${r.first + begin + 1} to ${r.first + end}`));
    svg.append(slice);
    if (end < r.list.length) {
      const to = lane.get(r.list[end][0]);
      svg.append(draw("line", { class: stopped.has(end - 1) ? "preemption" : "switch", x1: left + end * step, x2: left + end * step, y1: y + 13, y2: to + 13 }));
    }
    begin = end;
  }
  if (r.id === "failing" && data.deciding !== null && data.deciding >= r.first) {
    const at = data.deciding - r.first;
    if (at < r.list.length) svg.append(draw("rect", { class: "deciding", x: left + at * step - 1, y: lane.get(r.list[at][0]) + 2, width: step + 1, height: 22 }));
  }
  const cursor = draw("line", { class: "cursor", y1: 0, y2: height });
  if (onStep) {
    svg.append(cursor);
    svg.addEventListener("click", (click) => onStep(Math.floor((click.clientX - svg.getBoundingClientRect().left - left) / step)));
  }
  return {
    svg,
    moveCursor(at) {
      const x = left + (at + 0.5) * step;
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    },
  };
}

function drawTimeline() {
  const drawn = lanes(run(), go);
  timeline.replaceChildren(drawn.svg);
  timeline.moveCursor = drawn.moveCursor;
  const other = data.runs.find((r) => r.id === (run().id === "failing" ? "passing" : "failing"));
  compared.hidden = comparedTitle.hidden = !other;
  if (!other) return;
  comparedTitle.textContent = `against: ${other.title.toLowerCase()}, ${plural(other.switches, "switch")}, ${plural(other.preemptions, "preemption")}`;
  compared.replaceChildren(lanes(other, null).svg);
}

const sourceText = (place) => (place ? data.files[place.file].lines[place.line - 1] ?? "" : "").trim();
const oneFile = data.files.length === 1;
const placeText = (place) => (oneFile ? "" : data.files[place.file].name) + `:${place.line}`;

// One run: a thread a column, time runs down, each event with its line of source; arrows for what caused what are drawn over it.
function grid(frame, r, onStep) {
  const stopped = new Set(r.preempted.map((i) => i - r.first));
  const used = [...new Set(r.list.map((e) => e[0]))].sort((a, b) => a - b);
  const head = make("tr", {}, make("th", {}, ""), ...used.map((thread) => {
    const cell = make("th", {}, r.threads[thread]);
    cell.style.color = colour(thread);
    return cell;
  }));
  const body = make("tbody");
  r.list.forEach((event, i) => {
    const place = placeOf(event);
    const row = make("tr", { class: stopped.has(i) ? "stop" : "", onclick: () => onStep(i) }, make("td", { class: "dim" }, String(r.first + i + 1)));
    for (const thread of used) {
      if (thread !== event[0]) { row.append(make("td")); continue; }
      const text = data.texts[event[1]] + (stopped.has(i) ? "  == preempted" : "");
      const cell = make("td", { class: "did" }, make("div", { title: text }, text),
        make("div", { class: "src", title: sourceText(place) }, place ? `${placeText(place)}  ${sourceText(place)}` : ""));
      cell.style.borderLeftColor = colour(thread);
      row.append(cell);
    }
    body.append(row);
  });
  // Who never came further, in its own column.
  for (const wait of r.id === "failing" ? data.waits : []) {
    const thread = r.threads.indexOf(wait.thread);
    if (!used.includes(thread)) continue;
    const text = `waits for ${wait.for}${wait.holder ? `, which ${wait.holder} has` : ""}`;
    const row = make("tr", { class: "stuck" }, make("td", { class: "dim" }, ""));
    for (const column of used) {
      if (column !== thread) { row.append(make("td")); continue; }
      const cell = make("td", { class: "did" }, make("div", { title: text }, text), make("div", { class: "src" }, `${wait.at}  and never goes on`));
      cell.style.borderLeftColor = colour(thread);
      row.append(cell);
    }
    body.append(row);
  }
  const table = make("table", {}, make("thead", {}, head), body);
  table.style.minWidth = `${4 + 15 * used.length}ch`;
  frame.replaceChildren(table);
  frame.rows = body.children;
  drawArrows(frame, table, r);
}

function drawArrows(frame, table, r) {
  const svg = draw("svg", { class: "arrows", width: table.offsetWidth, height: table.offsetHeight, "aria-hidden": "true" });
  const defs = draw("defs");
  const kinds = ["lock", "wake", "create", "join", "value"];
  for (const kind of kinds) {
    const marker = draw("marker", { id: `${frame.id}-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" });
    marker.append(draw("path", { d: "M0 0 8 4 0 8z", class: kind }));
    defs.append(marker);
  }
  svg.append(defs);
  const middle = (i) => {
    const row = frame.rows[i], cell = row?.querySelector(".did");
    return cell ? { x: cell.offsetLeft, y: row.offsetTop + row.offsetHeight / 2, right: cell.offsetLeft + Math.min(cell.offsetWidth, 60), end: cell.offsetLeft + cell.offsetWidth - Math.min(70, cell.offsetWidth / 3) } : null;
  };
  for (const [from, to, kind] of r.arrows ?? []) {
    const a = middle(from), b = middle(to);
    if (!a || !b) continue;
    // To the right it comes to the left edge of what it caused, to the left to its right part: it never leaves the frame.
    const right = a.x < b.x, x = right ? a.right : a.x - 2, end = right ? b.x - 1 : b.end, bend = (end - x) / 2;
    const line = draw("path", { class: kind, d: `M${x} ${a.y + 4}C${x + bend} ${a.y + 14} ${end - bend} ${b.y} ${end} ${b.y}`, "marker-end": `url(#${frame.id}-${kind})` });
    line.append(draw("title", {}, `${kind}: step ${r.first + from + 1} to step ${r.first + to + 1}`));
    svg.append(line);
  }
  frame.append(svg);
}

const besides = make("div", { class: "events", id: "compared-events", tabindex: 0, "aria-label": "Events of the other run" });
const besidesName = make("h2", { id: "compared-name" }, "Compared");
const eventsName = make("h2", { id: "events-name" }, "Events");
function drawEvents() {
  const r = run();
  eventsName.textContent = r.title;
  const other = data.runs.find((o) => o.id === (r.id === "failing" ? "passing" : "failing"));
  besides.parentElement.hidden = !other;
  events.parentElement.classList.toggle("wide", !other);
  grid(events, r, go);
  if (!other) return;
  besidesName.textContent = other.title;
  grid(besides, other, (at) => showSource(placeOf(other.list[at])));
}
// Both runs are scrolled together: up to where they part the same step stands beside the same.
for (const [one, two] of [[events, besides], [besides, events]]) {
  one.addEventListener("scroll", () => {
    if (Math.abs(two.scrollTop - one.scrollTop) > 1) two.scrollTop = one.scrollTop;
  });
}
window.addEventListener("resize", () => {
  for (const frame of [events, besides]) frame.querySelector("svg.arrows")?.remove();
  drawEvents();
  go(state.at);
});

let shownFile = null;
function showSource(place) {
  if (!place) return;
  const file = data.files[place.file];
  if (shownFile !== place.file) {
    shownFile = place.file;
    codeName.textContent = file.path;
    const body = make("tbody");
    const marks = new Map();
    const stretch = new Set();
    for (const line of data.lines) {
      if (!line.at || line.at[0] !== place.file) continue;
      marks.set(line.at[1], [...(marks.get(line.at[1]) ?? []), line.what]);
      for (let n = line.from; n && n <= line.to; ++n) stretch.add(n);
    }
    file.lines.forEach((text, i) => {
      const what = marks.get(i + 1);
      body.append(make("tr", { class: what ? "decides" : stretch.has(i + 1) ? "stretch" : "" }, make("td", {}, String(i + 1)),
        make("td", {}, text, what ? make("span", { class: "what" }, `   <- ${what.join("; ")}`) : null)));
    });
    code.replaceChildren(file.lines.length ? make("table", {}, body) : make("p", { class: "dim" }, "The source file was not found."));
    code.rows = body.children;
  }
  for (const row of code.querySelectorAll("tr.now")) row.classList.remove("now");
  const row = code.rows?.[place.line - 1];
  if (!row) return;
  row.classList.add("now");
  code.scrollTop = row.offsetTop - code.clientHeight / 2;
}

function go(at) {
  const r = run();
  if (!r.list.length) return;
  state.at = Math.max(0, Math.min(r.list.length - 1, at));
  slider.value = state.at;
  const event = r.list[state.at];
  now.textContent = `step ${r.first + state.at + 1} of ${r.events}: ${r.threads[event[0]]} ${data.texts[event[1]]}`;
  for (const row of events.querySelectorAll("tr.now")) row.classList.remove("now");
  const row = events.rows[state.at];
  row.classList.add("now");
  events.scrollTop = row.offsetTop - events.clientHeight / 2;
  timeline.moveCursor(state.at);
  showSource(placeOf(event));
}

function choose(index) {
  state.run = index;
  const r = run();
  drawTabs();
  drawTimeline();
  drawEvents();
  slider.max = Math.max(0, r.list.length - 1);
  summary.replaceChildren(
    `${plural(r.events, "operation")}, ${plural(r.threads_run, "thread")}, ${plural(r.switches, "switch")}, ${plural(r.preemptions, "preemption")}. `,
    make("span", { class: r.ending === "passes" ? "pass" : "fail" }, r.ending),
    r.first ? ` The first ${r.first} operations are left out here.` : "");
  // Where it decides; where all wait, at the end.
  go(r.id !== "failing" ? 0 : data.deciding !== null ? data.deciding - r.first : data.waits.length ? r.list.length - 1 : 0);
}

function list(title, items, empty) {
  return make("section", {}, make("h2", {}, title), items.length ? make("ul", {}, ...items.map((item) => make("li", {}, item))) : make("p", { class: "dim" }, empty));
}

// What led to the failure. A click on a line shows where its value came from, and from there on, back to the beginning.
function origins() {
  const rows = data.slice.map((line, i) => {
    const place = { file: line.at[0], line: line.at[1] };
    const row = make("tr", { "data-line": i, tabindex: 0, onclick: () => ask(i) }, make("td", {}, line.thread), make("td", { class: "dim" }, `${data.files[place.file].name}:${place.line}`),
      make("td", {}, sourceText(place), line.value ? make("span", { class: "what" }, `   ${line.value}`) : null, line.times > 1 ? make("span", { class: "dim" }, `  (${line.times} times)`) : null));
    row.addEventListener("keydown", (key) => key.key === "Enter" && ask(i));
    return row;
  });
  const answer = make("p", { class: "dim", id: "came-from" }, "Click a line: where did its value come from?");
  const ask = (i) => {
    const line = data.slice[i], behind = new Set();
    for (const open = [...line.from]; open.length;) {
      const next = open.pop();
      if (behind.has(next)) continue;
      behind.add(next);
      open.push(...data.slice[next].from);
    }
    rows.forEach((row, n) => { row.className = n === i ? "now" : line.from.includes(n) ? "decides" : behind.has(n) ? "stretch" : "apart"; });
    const words = (n) => `${data.slice[n].thread} at ${data.files[data.slice[n].at[0]].name}:${data.slice[n].at[1]}`;
    answer.textContent = `${words(i)} ${line.from.length ? `uses what came from ${line.from.map(words).join(", ")}` : "uses nothing that this run shows the origin of"}; ${plural(behind.size, "line")} behind it in all.`;
    showSource({ file: line.at[0], line: line.at[1] });
  };
  return make("section", { id: "slice" }, make("h2", {}, "What led to it"), answer, make("div", { class: "code" }, make("table", {}, make("tbody", {}, ...rows))));
}

function jump(place, text) {
  return place ? make("button", { onclick: () => showSource({ file: place[0], line: place[1] }) }, text) : text;
}

slider.addEventListener("input", () => go(Number(slider.value)));
document.addEventListener("keydown", (key) => {
  if (key.target === slider || key.ctrlKey || key.metaKey || key.altKey) return;
  const r = run();
  const nextSwitch = (from, by) => {
    let i = from + by;
    while (i > 0 && i < r.list.length - 1 && r.list[i][0] === r.list[i - 1][0]) i += by;
    return i;
  };
  const moves = {
    ArrowRight: () => go(state.at + 1), ArrowLeft: () => go(state.at - 1), ArrowDown: () => go(state.at + 1), ArrowUp: () => go(state.at - 1),
    n: () => go(nextSwitch(state.at, 1)), p: () => go(nextSwitch(state.at, -1)), Home: () => go(0), End: () => go(r.list.length - 1),
    d: () => data.deciding !== null && (choose(0), go(data.deciding - run().first)),
    Tab: null,
  };
  if (/^[1-9]$/.test(key.key) && Number(key.key) <= data.runs.length) return choose(Number(key.key) - 1);
  if (moves[key.key]) {
    moves[key.key]();
    key.preventDefault();
  }
});

const e = data.effort;
page.append(head(), tabs, summary, timeline, comparedTitle, compared,
  make("div", { class: "scrub" }, slider, now),
  make("p", { class: "dim" }, "Keys: left and right for a step, n and p for the next and previous switch, d for the deciding one, 1 to 4 for the schedules."),
  make("p", { class: "dim legend" }, "Arrows: ", ...[["lock", "unlock to lock"], ["wake", "signal to wake-up"], ["create", "create to start"], ["join", "end to join"], ["value", "write to read"]]
    .map(([kind, text]) => make("span", { class: `key ${kind}` }, text))),
  make("div", { class: "split" }, make("div", {}, eventsName, events), make("div", {}, besidesName, besides), make("div", { class: "wide" }, codeName, code)));
if (data.waits.length) {
  page.append(list("Who waits for whom", data.waits.map((w) =>
    `${w.thread} at ${w.at} waits for ${w.for}${w.holder ? `, held by ${w.holder}${w.taken ? ` since ${w.taken}` : ""}` : ""}${w.cycle ? " (in the circle)" : ""}`), ""));
}
if (data.slice.length) page.append(origins());
page.append(
  list("Lines that decide", data.lines.map((line) => jump(line.at, line.at ? `${data.files[line.at[0]].name}:${line.at[1]}: ${line.what}` : line.what)), "None with source."),
  list("Racing accesses", data.races.map((race) => jump(race.at, `${race.place}  ${race.text}`)), "None were scheduling points of this run."),
  list("Blind spots", [data.granularity, ...data.notes.map((note) => `not controlled: ${note.text} (${note.count} times)`)].filter((text) => text),
    "Nothing was noted that this run did out of control."),
  list("Effort", [`found in run ${e.executions} of the ${e.strategy} search`,
    e.minimal ? `simplified in ${plural(e.simplify, "run")}, minimal: ${e.minimal}${e.certificate ? `, ${e.certificate}` : ""}` : "not simplified"], ""),
  make("section", {}, make("h2", {}, "Again"), ...data.commands.map((command) => make("pre", {}, command))));
choose(0);
if (shownFile === null) {  // the first step has no line of its own: then the line that decides, or at which it fails
  const line = data.lines.find((each) => each.at);
  if (line) showSource({ file: line.at[0], line: line.at[1] });
}
