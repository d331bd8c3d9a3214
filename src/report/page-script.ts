// Report: the page's only script. Without it the page has all its contents, and the table the order of the report.

/**
 * Makes the table of results sortable by the buttons that it puts in the heads, and filterable. Of more than 500 rows it
 * shows the first, since browsers take seconds to lay out thousands.
 */
export const pageScript = `
for (const part of document.querySelectorAll('.results')) {
  const body = part.querySelector('tbody');
  const rows = [...body.rows].map((row) => ({ row, text: row.textContent.toLowerCase(), verdict: row.dataset.verdict }));
  const heads = [...part.querySelectorAll('thead th')];
  const [filter, verdict] = part.querySelectorAll('input, select');
  const show = () => {
    const words = filter.value.toLowerCase().split(' ');
    let count = 0;
    for (const each of rows) {
      const isShown = (verdict.value === '' || each.verdict === verdict.value) && words.every((word) => each.text.includes(word));
      count += isShown ? 1 : 0;
      each.row.hidden = !isShown || count > 500;
    }
    const first = count > 500 ? ', the first 500 shown' : '';
    part.querySelector('output').textContent = count + ' of ' + rows.length + ' rows' + first;
  };
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const sort = (column) => {
    const isNumber = heads[column].classList.contains('number');
    const isUp = heads[column].ariaSort === 'none' ? !isNumber : heads[column].ariaSort === 'descending';
    for (const head of heads) head.ariaSort = head === heads[column] ? (isUp ? 'ascending' : 'descending') : 'none';
    for (const each of rows) {
      const { dataset, textContent } = each.row.cells[column];
      each.key = !isNumber ? textContent : dataset.value ? Number(dataset.value) : null;
    }
    const direction = isUp ? 1 : -1;
    rows.sort((a, b) => {
      // Cells without a number stay last.
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      return direction * (isNumber ? a.key - b.key || 0 : compare(a.key, b.key));
    });
    body.append(...rows.map(({ row }) => row));
    show();
  };
  for (const [column, head] of heads.entries()) {
    const button = document.createElement('button');
    button.append(...head.childNodes);
    button.addEventListener('click', () => sort(column));
    head.append(button);
    head.ariaSort = 'none';
  }
  filter.addEventListener('input', show);
  verdict.addEventListener('change', show);
  part.querySelector('.filters').hidden = false;
  show();
}
`;

/** Its SHA-256, by which the page's policy knows it. A test says what it has to be. */
export const pageScriptHash = 'sha256-RICEnPKcC16B+FOhtX0ui69K/fATDbpEqtjoX/OWN60=';
