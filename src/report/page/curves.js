// ---- curves: the runs of a method, put together over its seeds -----------------------------------------------------

/** The points of one run that have both coordinates. */
function pointsOf(run, axis, quantity) {
  const x = [];
  const y = [];
  const across = run[axis];
  const up = run[quantity];
  for (let i = 0; i < up.length; ++i) {
    if (up[i] === null || across[i] === null) continue;
    x.push(across[i]);
    y.push(up[i]);
  }
  return { x, y };
}

/** The run's value at each place of an increasing grid; NaN outside. On a log axis it is interpolated as it is drawn. */
function resample(points, grid, log) {
  const result = new Float64Array(grid.length).fill(NaN);
  const { x, y } = points;
  let i = 0;
  for (let g = 0; g < grid.length; ++g) {
    if (!x.length || grid[g] < x[0] || grid[g] > x[x.length - 1]) continue;
    while (i + 1 < x.length && x[i + 1] <= grid[g]) ++i;
    if (x[i] === grid[g] || i + 1 === x.length) { result[g] = y[i]; continue; }
    const share = (grid[g] - x[i]) / (x[i + 1] - x[i]);
    result[g] = log && y[i] > 0 && y[i + 1] > 0
      ? y[i] * (y[i + 1] / y[i]) ** share
      : y[i] + (y[i + 1] - y[i]) * share;
  }
  return result;
}

/** A common grid: all places where some run has a point, thinned to a few hundred. */
function commonGrid(all) {
  const places = [...new Set(all.flatMap((points) => points.x))].sort((a, b) => a - b);
  const most = 400;
  if (places.length <= most) return places;
  const kept = new Set([0, places.length - 1]);
  for (let k = 0; k < most / 2; ++k) {
    kept.add(Math.round((k / (most / 2 - 1)) * (places.length - 1)));
    kept.add(Math.round(Math.expm1((k / (most / 2 - 1)) * Math.log(places.length))));
  }
  return places.filter((_, place) => kept.has(place));
}

function quantile(sorted, share) {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

/**
 * A curve over its seeds: {x, y, low, high, seeds}. y is the median of the runs, low and high bound the band (equal to y
 * for a single run). It goes as far as at least half of the runs do.
 */
function combine(curve, axis, quantity, log, band) {
  const key = [axis, quantity, log, band].join();
  curve.combined ??= new Map();
  if (curve.combined.has(key)) return curve.combined.get(key);
  const all = curve.runs.map((run) => pointsOf(run, axis, quantity)).filter((points) => points.x.length > 0);
  let result = { x: [], y: [], low: [], high: [], seeds: all.length };
  if (all.length === 1) {
    result = { x: all[0].x, y: all[0].y, low: all[0].y, high: all[0].y, seeds: 1 };
  } else if (all.length > 1) {
    const grid = commonGrid(all);
    const values = all.map((points) => resample(points, grid, log));
    const tail = band === "middle" ? 0.1 : 0;
    grid.forEach((x, g) => {
      const here = values.map((run) => run[g]).filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
      if (here.length < all.length / 2) return;
      result.x.push(x);
      result.y.push(quantile(here, 0.5));
      result.low.push(quantile(here, tail));
      result.high.push(quantile(here, 1 - tail));
    });
  }
  curve.combined.set(key, result);
  return result;
}

/**
 * Where a log axis ends below: no curve loses more than a fiftieth of its positive values. (The method that set the
 * best level falls to zero on its last steps by construction; following it down would leave the others on one line.)
 */
function logFloor(lists) {
  let floor = Infinity;
  for (const list of lists) {
    const positive = list.filter((value) => value > 0).sort((a, b) => a - b);
    if (positive.length) floor = Math.min(floor, positive[Math.floor(positive.length / 50)]);
  }
  return floor;
}

