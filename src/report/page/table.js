// ---- tables: sorted by a click on a column's name ------------------------------------------------------------------

function sortTable(table, place, direction) {
  const body = table.tBodies[0];
  const numeric = table.tHead.rows[0].cells[place].classList.contains("number");
  const key = (row) => row.cells[place].dataset.value;
  const compare = (a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left === "" || right === "") return (left === "") - (right === "");  // what is missing comes last
    const numbers = numeric || (!Number.isNaN(Number(left)) && !Number.isNaN(Number(right)));
    return direction * (numbers ? Number(left) - Number(right) : left.localeCompare(right, undefined, { numeric: true }));
  };
  body.append(...[...body.rows].sort(compare));
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sortTable(table, place, down ? -1 : 1);
    });
  });
}

