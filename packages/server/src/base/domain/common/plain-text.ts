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

// A decoder puts the replacement character instead of bytes that are not UTF-8.
const UNFIT = /[\p{Cs}\ufffd]|[^\P{Cc}\t\r\n]/u

const LONGEST = 40

/**
 * Makes client input safe to repeat in a message: at most 40 characters, without controls, bidirectional
 * marks and halves of a character, which could hide, reorder or break the text around them.
 */
export function excerpt(text: string): string {
  const head = [...text.slice(0, 2 * LONGEST + 2)]
  const shown = head.length > LONGEST ? `${head.slice(0, LONGEST - 1).join('')}…` : head.join('')
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/**
 * Characters that nobody sees, or that change how the text around them is shown: controls, marks of the text
 * direction, zero-width characters, halves of characters, and Braille's blank. Tabs and line breaks are not among them.
 */
const HIDDEN =
  /[^\P{Cc}\t\r\n]|[\p{Default_Ignorable_Code_Point}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\ufff9-\ufffb\u2800]/v

/** Letters and marks of scripts that are written with joiners. */
const JOINED =
  '[[\\p{L}\\p{M}]&&[\\p{scx=Arab}\\p{scx=Beng}\\p{scx=Deva}\\p{scx=Gujr}\\p{scx=Guru}\\p{scx=Khmr}\\p{scx=Knda}' +
  '\\p{scx=Mlym}\\p{scx=Mong}\\p{scx=Mymr}\\p{scx=Nkoo}\\p{scx=Orya}\\p{scx=Sinh}\\p{scx=Syrc}\\p{scx=Taml}\\p{scx=Telu}]]'

/**
 * The contexts in which such a character has a visible effect, as Unicode has it for emoji (UTS #51), variants (UAX #31) and joiners.
 * UAX #31, section 2.3, allows joiners in fewer contexts, by properties of letters that regular expressions do not have.
 * Each begins with the character itself, so that other characters are passed over quickly.
 */
const MEANT = [
  '[\\ufe0e\\ufe0f](?<=\\p{Extended_Pictographic}.)',
  '\\ufe0f(?<=[0-9#*].)(?=\\u20e3)',
  '\\u200d(?<=(?:\\p{Extended_Pictographic}\\ufe0f?|\\p{Emoji_Modifier}).)(?=\\p{Extended_Pictographic})',
  // The flags of England, Scotland and Wales.
  '(?:\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f})(?<=\\u{1f3f4}.{6})',
  '[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}](?<=\\p{sc=Han}.)',
  '[\\u180b-\\u180f](?<=[\\p{L}&&\\p{sc=Mong}].)',
  `\\u200d(?<=${JOINED}.)`,
  `\\u200c(?<=${JOINED}.)(?=${JOINED})`,
]

const MEANT_OR_HIDDEN = new RegExp(`(?<meant>${MEANT.join('|')})|${HIDDEN.source}`, 'gv')

/** The first hidden character of a text, such as `U+202E`; undefined where there is none. */
export function hiddenIn(text: string): string | undefined {
  if (!HIDDEN.test(text)) return undefined
  for (const { 0: character, groups } of text.matchAll(MEANT_OR_HIDDEN)) {
    if (groups?.meant === undefined) return nameOf(character)
  }
  return undefined
}

/** A text with each hidden character as what it is, such as `⟨U+202E⟩`. */
export function visible(text: string): string {
  if (!HIDDEN.test(text)) return text
  return text.replaceAll(MEANT_OR_HIDDEN, (character, meant) =>
    meant === undefined ? `⟨${nameOf(character)}⟩` : character,
  )
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

const SWITCHES: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  yes: true,
  '1': true,
  false: false,
  off: false,
  no: false,
  '0': false,
}

/** True or false as senders write them. Undefined if the value is neither. */
export function switchIn(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const isWord = typeof value === 'number' || (typeof value === 'string' && value.length <= 5)
  if (!isWord) return undefined
  const word = String(value).toLowerCase()
  return Object.hasOwn(SWITCHES, word) ? SWITCHES[word] : undefined
}
