// ---- legend: which methods are shown -------------------------------------------------------------------------------

const element = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in node && key !== "role") node[key] = value; else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};

function lineSample(method) {
  const box = element("span", { className: "sample" });
  box.innerHTML = `<svg class="line" viewBox="0 0 28 10" aria-hidden="true"><path d="M0 5H28" ${strokeOf(method)}/></svg>`;
  return box;
}

/**
 * A legend of the methods of one figure. What is switched off is switched off in all figures: `change` is told the new set
 * of hidden methods. `point` is told which method the pointer or the focus is on, to bring it out in the figure.
 */
function makeLegend(indices, view, change, point) {
  const box = element("div", { className: "legend", role: "group", "aria-label": "Methods" });
  const others = (kept) => new Set([...report.methods.keys()].filter((index) => !kept.includes(index)));
  const settings = [...new Set(indices.map((index) => report.methods[index].setting))];
  for (const setting of settings) {
    const group = element("div", { className: "group" });
    if (setting && settings.length > 1) group.append(element("span", { className: "setting" }, setting));
    for (const index of indices.filter((one) => report.methods[one].setting === setting)) {
      const method = report.methods[index];
      const toggle = element("button", { type: "button", className: "method" }, lineSample(method), method.name);
      toggle.dataset.method = index;
      toggle.title = "Click: show or hide. Double click: show only this one.";
      if (method.emphasis) toggle.classList.add("emphasis");
      toggle.addEventListener("click", () => {
        const hidden = new Set(view.hidden);
        if (!hidden.delete(index)) hidden.add(index);
        change(hidden);
      });
      toggle.addEventListener("dblclick", () => change(others([index])));
      const only = element("button", { type: "button", className: "only" }, "only");
      only.setAttribute("aria-label", `Show only ${method.name}`);
      only.addEventListener("click", () => change(others([index])));
      const entry = element("span", { className: "entry" }, toggle, only);
      entry.addEventListener("pointerenter", () => point(index));
      entry.addEventListener("pointerleave", () => point(null));
      entry.addEventListener("focusin", () => point(index));
      entry.addEventListener("focusout", () => point(null));
      group.append(entry);
    }
    box.append(group);
  }
  const whole = element("div", { className: "group whole" });
  const choices = [["All", () => new Set()], ["None", () => others([])]];
  const emphasised = indices.filter((index) => report.methods[index].emphasis);
  if (emphasised.length && emphasised.length < indices.length) {
    choices.push(["ALFCG", () => others([...report.methods.keys()].filter((index) => report.methods[index].emphasis))]);
  }
  for (const [name, hidden] of choices) {
    const button = element("button", { type: "button", className: "quiet" }, name);
    button.dataset.choice = name.toLowerCase();
    button.addEventListener("click", () => change(hidden()));
    whole.append(button);
  }
  box.append(whole);
  const refresh = () => {
    for (const button of box.querySelectorAll(".method")) {
      button.setAttribute("aria-pressed", String(!view.hidden.has(Number(button.dataset.method))));
    }
  };
  refresh();
  return { box, refresh };
}

