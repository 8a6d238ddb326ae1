import { withoutSecrets } from '../../base/access/secret.ts'

const MAX_CHARACTERS = 200

/** Shorter parts of a URL are words that an answer may have for other reasons. */
const MIN_HIDDEN = 4

/**
 * The beginning of what a receiver answered, on one line. `hidden`: the secrets of the webhook, which a receiver may
 * repeat.
 */
export function shownAnswer(text: string, hidden: readonly string[]): string {
  let shown = text.replace(/[\p{C}\p{Zl}\p{Zp}\s\ufffd]+/gu, ' ').trim()
  for (const each of hidden) shown = shown.replaceAll(each, '…')
  const [...characters] = withoutSecrets(shown)
  return characters.slice(0, MAX_CHARACTERS).join('')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The parts of a URL and of credentials that may be secret, the longest first. */
export function secretParts(written: string, credentials: string | null): string[] {
  const { pathname, search, searchParams } = new URL(written)
  const path = pathname.split('/')
  // A parameter without a value is one itself.
  const values = [...searchParams].map(([name, value]) => value || name)
  const raw = search.slice(1).split('&')
  const rawValues = raw.map((each) => each.slice(each.indexOf('=') + 1))
  const given = credentials?.split(/[:\s]+/) ?? []
  const plain = [...path, ...path.map(decoded), ...raw, ...rawValues, ...values, ...given]
  const parts = [...plain, credentials ?? '', search.slice(1)].flatMap((each) => {
    return [each, encodeURIComponent(each), new URLSearchParams([['', each]]).toString().slice(1)]
  })
  const hidden = new Set(parts.filter(({ length }) => length >= MIN_HIDDEN))
  return [...hidden].sort((a, b) => b.length - a.length)
}
