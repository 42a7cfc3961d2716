// ---- plot: one panel as SVG ----------------------------------------------------------------------------------------

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escapeMarkup = (text) => String(text).replace(/[&<>"']/g, (letter) => escapes[letter]);
const axisLabels = { seconds: "seconds", epochs: "epochs", iterations: "iterations" };
const strokeOf = (method) => `style="stroke:var(--curve-${method.color})" stroke-width="${method.width}"`
  + (method.dash ? ` stroke-dasharray="${method.dash}"` : "");

/** The curves to draw under the page's present switches, each with its method. */
function visibleCurves(panel, view) {
  return panel.data.curves
    .filter((curve) => !view.hidden.has(curve.method))
    .map((curve) => ({
      curve,
      method: report.methods[curve.method],
      ...combine(curve, view.axis, panel.quantity, view.logY, view.band),
    }))
    .filter((curve) => curve.x.length > 0);
}

/** The range of both axes: of all that is drawn, or what the reader zoomed to. */
function rangesOf(curves, view, panel) {
  if (panel.zoom) return panel.zoom;
  const everyX = curves.flatMap((curve) => curve.x);
  const lows = curves.flatMap((curve) => curve.low);
  const highs = curves.flatMap((curve) => curve.high);
  const least = (list) => list.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (list) => list.reduce((a, b) => Math.max(a, b), -Infinity);
  const x = { low: Math.min(0, least(everyX)), high: most(everyX) };
  if (view.logX) x.low = x.high > 0 ? least(everyX.filter((value) => value > 0)) * 0.8 : 0.1;
  // Bands may leave a linear plot above: one wild run must not press all medians to the ground.
  const y = { low: least(lows), high: most(view.logY ? highs : curves.flatMap((curve) => curve.y)) };
  if (view.logY) {
    // Bands may take it a decade further down.
    y.low = Math.max(logFloor(curves.map((curve) => curve.low)), logFloor(curves.map((curve) => curve.y)) / 10);
    y.high = Math.max(y.high, y.low * 1.5) * 1.15;
    y.low /= 1.3;
  } else {
    const margin = (y.high - y.low || Math.abs(y.high) || 1) * 0.04;
    if (y.low < 0 || y.low > (y.high - y.low) / 2) y.low -= margin; else y.low = 0;
    y.high += margin;
  }
  if (!(x.high > x.low)) x.high = (view.logX ? x.low * 10 : x.low + 1);
  return { x, y };
}

function pathOf(xs, ys) {
  let path = "";
  for (let i = 0; i < xs.length; ++i) path += (i ? "L" : "M") + xs[i].toFixed(1) + " " + ys[i].toFixed(1);
  return path;
}

/** Far outside the plot one place is as good as another, and SVG renderers dislike huge coordinates. */
function toPixels(values, scale) {
  const limit = 30000;
  return values.map((value) => Math.max(-limit, Math.min(limit, scale(value))));
}

function drawCurve(item, view, axes, panel) {
  const { method } = item;
  item.px = toPixels(item.x, axes.x);
  item.py = toPixels(item.y, axes.y);
  const open = `<g class="curve${method.emphasis ? " emphasis" : ""}" data-method="${item.curve.method}">`;
  let inside = "";
  if (view.band === "each" && item.seeds > 1) {
    for (const run of item.curve.runs) {
      const points = pointsOf(run, view.axis, panel.quantity);
      inside += `<path class="run" d="${pathOf(toPixels(points.x, axes.x), toPixels(points.y, axes.y))}" ${strokeOf(method)}/>`;
    }
    return open + inside + "</g>";
  }
  if (item.seeds > 1 && view.band !== "median") {
    const up = pathOf(item.px, toPixels(item.high, axes.y));
    const down = pathOf([...item.px].reverse(), toPixels(item.low, axes.y).reverse()).replace("M", "L");
    inside += `<path class="band" d="${up}${down}Z" style="fill:var(--curve-${method.color})"/>`;
  }
  return open + inside + `<path class="median" d="${pathOf(item.px, item.py)}" ${strokeOf(method)}/></g>`;
}

function drawAxes(axes, box, panel, view, large) {
  let grid = "";
  let labels = "";
  for (const tick of ticksOf(axes.y, Math.max(3, Math.floor((box.bottom - box.top) / 42)))) {
    const y = axes.y(tick.value).toFixed(1);
    grid += `<path class="${tick.minor ? "minor" : "major"}" d="M${box.left} ${y}H${box.right}"/>`;
    if (tick.label) labels += `<text x="${box.left - 6}" y="${y}" dy="0.35em" text-anchor="end">${tick.label}</text>`;
  }
  for (const tick of ticksOf(axes.x, Math.max(2, Math.floor((box.right - box.left) / (large ? 90 : 56))))) {
    const x = axes.x(tick.value).toFixed(1);
    grid += `<path class="${tick.minor ? "minor" : "major"}" d="M${x} ${box.top}V${box.bottom}"/>`;
    if (tick.label) labels += `<text x="${x}" y="${box.bottom + 15}" text-anchor="middle">${tick.label}</text>`;
  }
  const name = report.labels[panel.quantity];
  labels += `<text class="axis" x="${box.right}" y="${box.bottom + 30}" text-anchor="end">${axisLabels[view.axis]}</text>`;
  labels += `<text class="axis" x="4" y="12">${escapeMarkup(name)}</text>`;
  return `<g class="grid">${grid}<path class="frame" d="M${box.left} ${box.top}V${box.bottom}H${box.right}"/></g>`
    + `<g class="labels">${labels}</g>`;
}

/** What cannot be seen in the plot and must be said below it. */
function remarksOn(all, view, panel) {
  const remarks = [];
  const zero = all.filter((item) => view.logY && !item.y.some((value) => value > 0)).map((item) => item.method.name);
  if (zero.length) remarks.push(`Not on a log axis, nowhere above zero: ${zero.join(", ")}.`);
  if (panel.zoom) remarks.push("Zoomed; double click or Escape shows all.");
  return remarks.join(" ");
}

function describe(curves, view, panel) {
  const ends = curves
    .map((item) => [item.method.name, item.y[item.y.length - 1]])
    .sort((a, b) => a[1] - b[1])
    .map(([name, value]) => `${name} ${writeNumber(value, 3)}`);
  return `${report.labels[panel.quantity]} against ${view.axis}. At the end, lowest first: ${ends.join(", ")}.`;
}

/** Draws the panel afresh at its present width. */
function drawPanel(panel, view) {
  const width = Math.max(200, Math.round(panel.plot.clientWidth));
  const large = width > 480;
  const height = Math.round(large ? Math.max(340, Math.min(580, width * 0.56, innerHeight * 0.7)) : width * (panel.alone ? 0.95 : 0.74));
  const box = { left: 50, right: width - 10, top: 22, bottom: height - 36 };
  const all = visibleCurves(panel, view);
  const curves = view.logY ? all.filter((item) => item.y.some((value) => value > 0)) : all;
  const svg = panel.svg;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const title = `<title>${escapeMarkup(panel.data.title)}</title>`;
  panel.curves = curves;
  panel.box = box;
  if (!curves.length) {
    const reason = all.length ? "zero throughout" : view.hidden.size ? "nothing selected, or no values" : "no values";
    svg.innerHTML = `${title}<text class="empty" x="${width / 2}" y="${height / 2}" text-anchor="middle">${reason}</text>`;
    panel.remark.textContent = "";
    return;
  }
  const { x, y } = rangesOf(curves, view, panel);
  const axes = { x: makeScale(x.low, x.high, box.left, box.right, view.logX),
                 y: makeScale(y.low, y.high, box.bottom, box.top, view.logY) };
  panel.axes = axes;
  // Rivals first, so that the emphasised curves lie on top.
  const ordered = [...curves].sort((a, b) => a.method.emphasis - b.method.emphasis);
  svg.innerHTML = `${title}<desc>${escapeMarkup(describe(curves, view, panel))}</desc>`
    + `<clipPath id="clip-${panel.id}"><rect x="${box.left}" y="${box.top}" width="${box.right - box.left}" height="${box.bottom - box.top + 1}"/></clipPath>`
    + drawAxes(axes, box, panel, view, large)
    + `<g clip-path="url(#clip-${panel.id})">${ordered.map((item) => drawCurve(item, view, axes, panel)).join("")}</g>`
    + `<g class="pointer" visibility="hidden"><path class="cross"/><circle r="4.5"/></g><rect class="zoom" visibility="hidden"/>`
    + `<rect class="catch" x="${box.left}" y="${box.top}" width="${box.right - box.left}" height="${box.bottom - box.top}"><title></title></rect>`;
  panel.remark.textContent = remarksOn(all, view, panel);
}

