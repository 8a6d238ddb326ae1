/**
 * Whether every character can be stored and shown: neither a control, nor the rest of bytes that are not
 * UTF-8.
 */
export function isPlainText(text: string): boolean {
  return !UNFIT.test(text)
}

/** Whether such a text is one line without tabs: a table has a cell for it. */
export function isPlainLine(text: string): boolean {
  return isPlainText(text) && !/[\t\r\n]/.test(text)
}

// A decoder puts the replacement character in place of bytes that are not UTF-8.
const UNFIT = /[\p{Cs}\ufffd]|[^\P{Cc}\t\r\n]/u
