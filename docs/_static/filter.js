// Puts a field above each table of the class "filterable"; rows without its words are hidden.
for (const table of document.querySelectorAll("table.filterable")) {
  const rows = [...table.tBodies[0].rows];
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("output");
  field.type = "search";
  label.append("Show rows with ", field);

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  field.addEventListener("input", show);
  show();

  const bar = document.createElement("p");
  bar.className = "filter";
  bar.append(label, " ", count);
  (table.closest(".table-wrapper") ?? table).before(bar);
}
