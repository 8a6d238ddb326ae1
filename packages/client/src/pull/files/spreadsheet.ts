/** A spreadsheet may start a cell here: with other separators, quotes protect nothing. */
const CELL_START = /([;|\t\r\n]|^)(["\s\p{C}]*)([=+\-@＝＋－＠]?)/gu

/**
 * A text that no spreadsheet runs as a formula: an apostrophe precedes each sign with which a formula can
 * begin. See https://owasp.org/www-community/attacks/CSV_Injection
 */
export function withoutFormulas(text: string): string {
  const escaped = text.replaceAll(CELL_START, (start, separator, between, sign) =>
    sign === '' ? start : `${separator}${between}'${sign}`,
  )
  return /^[\t\r]/.test(escaped) ? `'${escaped}` : escaped
}
