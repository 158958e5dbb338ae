// Completes the theme's markup, so that keyboards and screen readers reach everything.
for (const box of document.querySelectorAll("pre, .table-wrapper")) {
  box.tabIndex = 0; // it may scroll sideways
}
for (const caption of document.querySelectorAll(".caption[role=heading]")) {
  caption.ariaLevel = "2";
}
for (const [drawer, name] of [["sidebar", "Site"], ["toc", "This page"]]) {
  document.querySelector(`aside.${drawer}-drawer`)?.setAttribute("aria-label", name);
}
