/** Where a cell may begin for a spreadsheet: with the separators of other machines, quotes protect nothing. */
const CELL_START = /([;|\t\r\n]|^)(["\s\p{C}]*)([=+\-@＝＋－＠]?)/gu

/**
 * A text that no spreadsheet runs as a formula: an apostrophe goes before each sign that a formula begins
 * with. See https://owasp.org/www-community/attacks/CSV_Injection
 */
export function withoutFormulas(text: string): string {
  const escaped = text.replaceAll(CELL_START, (start, separator, between, sign) =>
    sign === '' ? start : `${separator}${between}'${sign}`,
  )
  return /^[\t\r]/.test(escaped) ? `'${escaped}` : escaped
}

/** Whatever Excel might take for a number or a date: `864301042977204`, `1E5`, `007`, `12-03`, `MAR1`. */
const LIKE_A_NUMBER = /^(?=.*\d)[\w.:/+-]+$/

/**
 * The same for Excel, which shows an ident of 15 digits as `8.64301E+14`: such a text becomes a formula that
 * has it as its value. It has no sign with which a cell could end or another begin.
 */
export function asExcelText(text: string): string {
  return LIKE_A_NUMBER.test(text) ? `="${text}"` : withoutFormulas(text)
}
