// Before anything is painted: the theme the reader chose for this page, else the system's.
(function () {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("alfcg-theme"); } catch { /* storage may be closed to local files */ }
  const apply = () => { root.dataset.theme = chosen || (system.matches ? "dark" : "light"); };
  apply();
  system.addEventListener("change", apply);
  root.addEventListener("alfcg-theme", (event) => {
    chosen = event.detail;
    try { localStorage.setItem("alfcg-theme", chosen); } catch { /* then it is not remembered */ }
    apply();
  });
})();
