// ---- axes: scales, ticks and the writing of numbers ----------------------------------------------------------------

const superscripts = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const powerOfTen = (exponent) => "10" + [...String(exponent)].map((c) => superscripts[c]).join("");

/** A number to so many significant digits, as people write it: 0.0123, 1.2·10⁻⁷. */
function writeNumber(value, digits = 4) {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) {
    const text = value.toPrecision(digits);
    return (text.includes("e") ? String(Math.round(value)) : String(Number(text))).replace("-", "−");
  }
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const factor = String(Number(mantissa)).replace("-", "−");
  return (factor === "1" ? "" : factor + "·") + powerOfTen(Number(exponent));
}

/**
 * Maps [low, high] to [from, to] in pixels. On a log axis what lies below `low` (zero and negative values with it) is put on
 * the edge; `low` must be positive there.
 */
function makeScale(low, high, from, to, log) {
  const f = log ? Math.log10 : (value) => value;
  const start = f(low);
  const factor = (to - from) / (f(high) - start || 1);
  const scale = (value) => from + (log && value <= low ? 0 : (f(value) - start) * factor);
  scale.invert = (pixel) => {
    const value = start + (pixel - from) / factor;
    return log ? 10 ** value : value;
  };
  return Object.assign(scale, { low, high, log });
}

function linearTicks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    ticks.push({ value: k * step, label: writeNumber(Number((k * step).toPrecision(12)), 6) });
  }
  return ticks;
}

/** Decades, thinned to about `count`; over a short range 1-2-5, or evenly spaced numbers. */
function logTicks(low, high, count) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const decades = last - first + 1;
  const ticks = [];
  if (decades >= 3) {
    const step = Math.ceil(decades / count);
    for (let k = first; k <= last; ++k) {
      const labelled = (((k % step) + step) % step) === 0;
      if (labelled || step <= 3) ticks.push({ value: 10 ** k, label: labelled ? decadeLabel(k) : "", minor: !labelled });
      if (step > 1) continue;
      for (let m = 2; m < 10; ++m) if (m * 10 ** k <= high) ticks.push({ value: m * 10 ** k, label: "", minor: true });
    }
    for (let m = 2; m < 10 && step === 1; ++m) {
      const value = m * 10 ** (first - 1);
      if (value >= low) ticks.push({ value, label: "", minor: true });
    }
    return ticks;
  }
  for (let k = first - 1; k <= last; ++k) {
    for (const m of [1, 2, 5]) {
      const value = m * 10 ** k;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push({ value, label: writeNumber(value, 2) });
    }
  }
  return ticks.length >= 3 ? ticks : linearTicks(low, high, count);
}

const decadeLabel = (k) => (k >= 0 && k <= 2 ? String(10 ** k) : k === -1 ? "0.1" : powerOfTen(k));
const ticksOf = (scale, count) => (scale.log ? logTicks : linearTicks)(scale.low, scale.high, count);

