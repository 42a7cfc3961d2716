// ---- hover: the nearest point's values, by mouse, finger or keyboard; and zoom -------------------------------------

function nearestPoint(panel, x, y) {
  let best = null;
  let least = Infinity;
  for (const item of panel.curves) {
    for (let i = 0; i < item.px.length; ++i) {
      if (item.px[i] < panel.box.left - 1 || item.px[i] > panel.box.right + 1) continue;
      const distance = (item.px[i] - x) ** 2 + (item.py[i] - y) ** 2;
      if (distance < least) { least = distance; best = { item, i }; }
    }
  }
  return best;
}

function showPoint(panel, point, view) {
  const { item, i } = point;
  const { box, svg } = panel;
  const px = item.px[i];
  const py = Math.min(box.bottom, Math.max(box.top, item.py[i]));
  panel.point = point;
  for (const group of svg.querySelectorAll(".curve")) {
    group.classList.toggle("near", Number(group.dataset.method) === item.curve.method);
  }
  const mark = svg.querySelector(".pointer");
  mark.setAttribute("visibility", "visible");
  mark.querySelector(".cross").setAttribute("d", `M${box.left} ${py}H${box.right}M${px} ${box.top}V${box.bottom}`);
  const dot = mark.querySelector("circle");
  dot.setAttribute("cx", px);
  dot.setAttribute("cy", py);
  dot.style.fill = `var(--curve-${item.method.color})`;

  const rows = [[view.axis, writeNumber(item.x[i])], [report.labels[panel.quantity], writeNumber(item.y[i])]];
  if (panel.quantity === "suboptimality" && panel.data.best !== null) {
    rows.push(["objective", writeNumber(item.y[i] + panel.data.best, 6)]);
  }
  if (item.seeds > 1) {
    const band = view.band === "middle" ? "10–90 %" : "range";
    rows.push([`${band} of ${item.seeds} seeds`, `${writeNumber(item.low[i], 3)} … ${writeNumber(item.high[i], 3)}`]);
  } else {
    rows.push(["seeds", "1"]);
  }
  panel.tip.innerHTML = `<strong><i style="background:var(--curve-${item.method.color})"></i>${escapeMarkup(item.method.name)}</strong><dl>`
    + rows.map(([name, value]) => `<dt>${escapeMarkup(name)}</dt><dd>${value}</dd>`).join("") + "</dl>";
  panel.tip.hidden = false;
  // Beside the point, on the side with room; the drawing may be scaled against its own pixels.
  const ratio = panel.plot.clientWidth / svg.viewBox.baseVal.width;
  const room = panel.plot.clientWidth - panel.tip.offsetWidth - 4;
  const right = px * ratio + 14;
  const left = right > room ? px * ratio - panel.tip.offsetWidth - 14 : right;
  // In a narrow plot it would hide the curves: there it lies above the plot.
  const narrow = panel.plot.clientWidth < 480;
  const above = narrow ? box.top * ratio - panel.tip.offsetHeight : Math.max(0, py * ratio - panel.tip.offsetHeight - 12);
  panel.tip.style.left = Math.max(4, Math.min(room, left)) + "px";
  const inView = 4 - panel.plot.getBoundingClientRect().top;
  panel.tip.style.top = Math.max(above, inView) + "px";
}

function hidePoint(panel) {
  panel.point = null;
  panel.tip.hidden = true;
  panel.svg.querySelector(".pointer")?.setAttribute("visibility", "hidden");
  for (const group of panel.svg.querySelectorAll(".near")) group.classList.remove("near");
}

/** Arrow keys walk along a curve (left, right) and from curve to curve (up, down). */
function moveByKey(panel, key) {
  const order = panel.curves;
  if (!order?.length) return null;
  if (!panel.point || !order.includes(panel.point.item)) {
    const item = order.find((one) => one.method.emphasis) ?? order[0];
    return { item, i: item.x.length - 1 };
  }
  const { item, i } = panel.point;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const step = Math.max(1, Math.round(item.x.length / 60)) * (key === "ArrowLeft" ? -1 : 1);
    return { item, i: Math.max(0, Math.min(item.x.length - 1, i + step)) };
  }
  const turn = key === "ArrowUp" ? order.length - 1 : 1;
  const next = order[(order.indexOf(item) + turn) % order.length];
  let j = next.px.findIndex((px) => px >= item.px[i]);
  if (j < 0) j = next.x.length - 1;
  return { item: next, i: j };
}

function watchPointer(panel, view, redraw) {
  const svg = panel.svg;
  const place = (event) => {
    const frame = svg.getBoundingClientRect();
    const ratio = svg.viewBox.baseVal.width / frame.width;
    return { x: (event.clientX - frame.left) * ratio, y: (event.clientY - frame.top) * ratio };
  };
  let start = null;
  const corner = (event) => {
    const { box } = panel;
    const at = place(event);
    return { x: Math.max(box.left, Math.min(box.right, at.x)), y: Math.max(box.top, Math.min(box.bottom, at.y)) };
  };
  const resetZoom = () => { if (panel.zoom) { panel.zoom = null; redraw(); } };

  svg.addEventListener("pointermove", (event) => {
    if (!panel.curves?.length) return;
    if (start) {
      const end = corner(event);
      const frame = svg.querySelector(".zoom");
      frame.setAttribute("visibility", "visible");
      frame.setAttribute("x", Math.min(start.x, end.x));
      frame.setAttribute("y", Math.min(start.y, end.y));
      frame.setAttribute("width", Math.abs(start.x - end.x));
      frame.setAttribute("height", Math.abs(start.y - end.y));
      return;
    }
    const at = place(event);
    const point = nearestPoint(panel, at.x, at.y);
    if (point) showPoint(panel, point, view);
  });
  svg.addEventListener("pointerleave", () => { if (!start) hidePoint(panel); });
  svg.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || !event.target.classList.contains("catch")) return;
    start = corner(event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [from, to] = [start, corner(event)];
    start = null;
    svg.querySelector(".zoom").setAttribute("visibility", "hidden");
    if (Math.abs(from.x - to.x) < 12 || Math.abs(from.y - to.y) < 12) return;
    const range = (scale, a, b) => {
      const ends = [scale.invert(a), scale.invert(b)].sort((p, q) => p - q);
      return { low: ends[0], high: ends[1] };
    };
    panel.zoom = { x: range(panel.axes.x, from.x, to.x), y: range(panel.axes.y, from.y, to.y) };
    hidePoint(panel);
    redraw();
  });
  svg.addEventListener("pointercancel", () => { start = null; });
  svg.addEventListener("dblclick", resetZoom);
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { hidePoint(panel); resetZoom(); return; }
    if (!event.key.startsWith("Arrow")) return;
    const point = moveByKey(panel, event.key);
    if (point) { event.preventDefault(); showPoint(panel, point, view); }
  });
  svg.addEventListener("blur", () => hidePoint(panel));
}

