// Trend page: elements. Names are only ever text of nodes.

type Child = Node | string;

/** Makes an element with these properties and children. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A table that scrolls by itself, also by keyboard. */
export function makeTable(
  label: string,
  headings: readonly string[],
  rows: readonly (readonly Child[])[],
): HTMLElement {
  const head = headings.map((heading) => make('th', { scope: 'col' }, heading));
  const body = rows.map(([first = '', ...cells]) =>
    make('tr', {}, make('th', { scope: 'row' }, first), ...cells.map((cell) => make('td', {}, cell))),
  );
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...body));
  return make('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: label }, table);
}

export function makeSelect(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
  onChange: (value: string) => void,
): HTMLLabelElement {
  const items = options.map(([value, text]) => make('option', { value, selected: value === chosen }, text));
  const select = make('select', { onchange: () => onChange(select.value) }, ...items);
  return make('label', {}, label, select);
}

/** A field that filters by words, as they are typed, above what it leaves. */
export function makeFiltered(label: string, list: (matches: (text: string) => boolean) => Node[]): Node[] {
  const holder = make('div', {}, ...list(() => true));
  const oninput = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    holder.replaceChildren(...list((text) => words.every((word) => text.toLowerCase().includes(word))));
  };
  const input: HTMLInputElement = make('input', { type: 'search', oninput });
  return [make('label', {}, label, input), holder];
}
