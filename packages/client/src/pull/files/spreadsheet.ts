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

/** Texts that Excel may take for a number or a date: `864301042977204`, `1E5`, `007`, `12-03`, `MAR1`. */
const LIKE_A_NUMBER = /^(?=.*\d)[\w.:/+-]+$/

/**
 * Makes a text safe for Excel, which shows an ident of 15 digits as `8.64301E+14`. Such a text becomes a
 * formula with the text as its value. It contains no sign that could end a cell or begin another.
 */
export function asExcelText(text: string): string {
  return LIKE_A_NUMBER.test(text) ? `="${text}"` : withoutFormulas(text)
}
