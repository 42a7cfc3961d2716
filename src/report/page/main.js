// ---- the page: switches, figures, and what is drawn when -----------------------------------------------------------

const report = JSON.parse(document.getElementById("data").textContent);
const view = { quantity: "suboptimality", axis: "epochs", logY: true, logX: false, band: "range", hidden: new Set(), ...report.view };
const panels = [];
const legends = [];

const switches = [
  { key: "quantity", legend: "Quantity", options: [["suboptimality", "objective − best"], ["gap", "gap"], ["error", "estimator error"]] },
  { key: "axis", legend: "Against", options: [["seconds", "seconds"], ["epochs", "epochs"], ["iterations", "iterations"]] },
  { key: "log", legend: "Log axes", options: [["logY", "y"], ["logX", "x"]], several: true },
  { key: "band", legend: "Seeds", options: [["range", "min–max"], ["middle", "10–90 %"], ["each", "each run"], ["median", "median"]] },
];

const everyCurve = () => report.figures.flatMap((figure) => figure.panels).flatMap((panel) => panel.curves);
const hasQuantity = (quantity) => everyCurve().some((curve) => curve.runs.some((run) => run[quantity].some((value) => value !== null)));
const hasSeeds = () => everyCurve().some((curve) => curve.runs.length > 1);

/** The view is kept in the address, so that a link or a bookmark brings it back. */
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const { key, options, several } of switches) {
    if (!given.has(key)) continue;
    const value = given.get(key);
    if (several) for (const [option] of options) view[option] = value.split(".").includes(option);
    else if (options.some(([option]) => option === value)) view[key] = value;
  }
}

function writeAddress() {
  const chosen = ({ key, options, several }) =>
    (several ? options.map(([option]) => option).filter((option) => view[option]).join(".") : view[key]);
  const text = switches.map((one) => `${one.key}=${chosen(one)}`).join("&");
  try { history.replaceState(null, "", "#" + text); } catch { /* the view still changes */ }
}

// ---- drawing: what can be seen at once, the rest when there is time --------------------------------------------------

const inSight = new Set();
let waiting = false;

function drawNow(panel) {
  panel.stale = false;
  panel.quantity = panel.figure.quantity ?? view.quantity;
  hidePoint(panel);
  drawPanel(panel, view);
}

function drawSome() {
  waiting = false;
  const end = performance.now() + 12;
  const stale = panels.filter((panel) => panel.stale).sort((a, b) => inSight.has(b) - inSight.has(a));
  for (const panel of stale) {
    if (performance.now() > end && !inSight.has(panel)) { wait(); return; }
    drawNow(panel);
  }
  document.getElementById("figures").setAttribute("aria-busy", "false");
}

function wait() {
  if (waiting) return;
  waiting = true;
  document.getElementById("figures").setAttribute("aria-busy", "true");
  requestAnimationFrame(drawSome);
}

function redrawAll() {
  for (const panel of panels) panel.stale = true;
  wait();
}

// ---- building the page ------------------------------------------------------------------------------------------------

function makeSwitches() {
  const form = document.getElementById("switches");
  for (const { key, legend, options, several } of switches) {
    if (key === "band" && !hasSeeds()) continue;
    const set = element("fieldset", { className: "choice" }, element("legend", {}, legend));
    for (const [value, name] of options) {
      const input = element("input", { type: several ? "checkbox" : "radio", name: key, value, id: `${key}-${value}` });
      input.checked = several ? view[value] : view[key] === value;
      input.disabled = key === "quantity" && !hasQuantity(value);
      input.addEventListener("change", () => {
        if (several) view[value] = input.checked; else view[key] = value;
        for (const panel of panels) panel.zoom = null;
        writeAddress();
        redrawAll();
      });
      const label = element("label", { htmlFor: input.id }, name);
      if (input.disabled) label.title = "This report has no such values.";
      set.append(input, label);
    }
    form.append(set);
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = report.figures.length === 0;
}

function hideMethods(hidden) {
  view.hidden = hidden;
  for (const legend of legends) legend.refresh();
  redrawAll();
}

function bringOut(figure, index) {
  for (const panel of panels.filter((one) => one.figure === figure)) {
    panel.svg.classList.toggle("choosing", index !== null && !view.hidden.has(index));
    for (const group of panel.svg.querySelectorAll(".curve")) {
      group.classList.toggle("chosen", Number(group.dataset.method) === index);
    }
  }
}

function makePanel(data, figure, alone) {
  const id = panels.length + 1;
  const plot = element("div", { className: "plot" });
  plot.innerHTML = '<svg role="img" tabindex="0"></svg>';
  const svg = plot.firstChild;
  svg.setAttribute("aria-label", `${data.title}. Arrow keys read values.`);
  const tip = element("div", { className: "tip", hidden: true, role: "status" });
  plot.append(tip);
  const remark = element("p", { className: "remark" });
  const box = element("div", { className: "panel" });
  const heading = element("div", { className: "panel-title" }, element("h3", {}, data.title));
  box.append(heading);
  if (!data.curves.length) {
    box.append(element("p", { className: "missing" }, data.note || "no curves"));
    return box;
  }
  box.append(plot, remark);
  if (data.note) box.append(element("p", { className: "remark" }, data.note));
  const panel = { id, data, figure, alone, svg, tip, plot, remark, box, stale: true, zoom: null };
  if (!alone) {
    const enlarge = element("button", { type: "button", className: "quiet enlarge" }, "⤢");
    enlarge.setAttribute("aria-pressed", "false");
    enlarge.setAttribute("aria-label", `Enlarge ${data.title}`);
    enlarge.title = "Enlarge";
    enlarge.addEventListener("click", () => {
      const large = box.classList.toggle("large");
      enlarge.setAttribute("aria-pressed", String(large));
      enlarge.textContent = large ? "⤡" : "⤢";
      drawNow(panel);
    });
    heading.append(enlarge);
  }
  panels.push(panel);
  watchPointer(panel, view, () => drawNow(panel));
  return box;
}

function makeFigure(figure, place) {
  const alone = figure.panels.length === 1;
  const section = element("section", { className: alone ? "figure alone" : "figure", id: `figure-${place + 1}` });
  section.append(element("h2", {}, figure.title));
  if (figure.quantity) section.append(element("p", { className: "note" }, `This figure always shows the ${report.labels[figure.quantity]}.`));
  if (figure.note) section.append(element("p", { className: "note" }, figure.note));
  const shown = new Set(figure.panels.flatMap((panel) => panel.curves).map((curve) => curve.method));
  const indices = [...report.methods.keys()].filter((index) => shown.has(index));
  const legend = makeLegend(indices, view, hideMethods, (index) => bringOut(figure, index));
  legends.push(legend);
  const grid = element("div", { className: "panels" });
  grid.style.setProperty("--columns", figure.columns);
  for (const panel of figure.panels) grid.append(makePanel(panel, figure, alone));
  section.append(element("div", { className: "stage" }, legend.box, grid));
  return section;
}

function makeCopyButton() {
  const button = document.getElementById("copy");
  const code = document.getElementById("command");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  document.querySelector(".command").hidden = code.textContent === "";
}

function makeThemeButton() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const refresh = () => button.setAttribute("aria-pressed", String(root.dataset.theme === "dark"));
  button.addEventListener("click", () => {
    root.dispatchEvent(new CustomEvent("alfcg-theme", { detail: root.dataset.theme === "dark" ? "light" : "dark" }));
  });
  new MutationObserver(refresh).observe(root, { attributeFilter: ["data-theme"] });
  refresh();
}

readAddress();
makeThemeButton();
makeCopyButton();
makeSwitches();
document.getElementById("figures").append(...report.figures.map(makeFigure));
document.querySelectorAll(".result table").forEach(makeSortable);
document.getElementById("footer").textContent = report.figures.length
  ? "Lines are medians over seeds, drawn as far as at least half of the runs go. Curves are thinned to at most "
    + `${report.points} points a run and numbers to six digits; the traces have all. On a log axis what lies below it, zero too, is `
    + "drawn on its lower edge. Drag in a plot to zoom, double click to see all."
  : "";

const sight = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const panel = panels.find((one) => one.box === entry.target);
    if (entry.isIntersecting) inSight.add(panel); else inSight.delete(panel);
  }
  wait();
}, { rootMargin: "200px" });
const widths = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const panel = panels.find((one) => one.plot === entry.target);
    const width = Math.round(entry.contentRect.width);
    if (panel.width === width) continue;
    panel.width = width;
    panel.stale = true;
  }
  wait();
});
for (const panel of panels) {
  sight.observe(panel.box);
  widths.observe(panel.plot);
}
addEventListener("beforeprint", () => panels.filter((panel) => panel.stale).forEach(drawNow));
