// What the drawings need of a scenario's text and a report does not repeat: the tables in order, with their comments.

/** A table: its header, its plain values as written (without quotes), and the words written around it. */
export interface Table {
  readonly header: string;
  readonly values: Readonly<Record<string, string>>;
  /** The comment lines right above the header, as one text. */
  readonly above: string;
  /** The comment behind `name`. */
  readonly beside: string;
}

const HEADER = /^\[+([^[\]]+)\]+/;
const VALUE = /^(\w+) = (?:"([^"]*)"|([^#]*?))\s*(?:# (.*))?$/;

/** Every table of a scenario's TOML; values that span lines are not read. */
export function tables(text: string): Table[] {
  const found: Table[] = [];
  let comment: string[] = [];
  for (const line of text.split("\n")) {
    const header = HEADER.exec(line);
    const value = VALUE.exec(line);
    const last = found.at(-1);
    if (header) found.push({ header: header[1]!, values: {}, above: comment.join(" "), beside: "" });
    else if (value && last) {
      const [, key, quoted, bare, beside] = value;
      found[found.length - 1] = {
        ...last, values: { ...last.values, [key!]: quoted ?? bare ?? "" }, beside: key === "name" ? beside ?? "" : last.beside,
      };
    }
    comment = line.startsWith("# ") ? [...comment, line.slice(2)] : [];
  }
  return found;
}

/** The tables below the `[[link]]` of that name, of one kind: `forward.class`. */
export function below(all: readonly Table[], link: string, kind: string): Table[] {
  const at = all.findIndex((table) => table.header === "link" && table.values["name"] === link);
  const rest = at < 0 ? [] : all.slice(at + 1);
  const end = rest.findIndex((table) => !table.header.startsWith("link."));
  return rest.slice(0, end < 0 ? rest.length : end).filter((table) => table.header === `link.${kind}`);
}
