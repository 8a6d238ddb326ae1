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

/** The parts of a URL and of credentials that may be secret, the longest first. */
export function secretParts(written: string, credentials: string | null): string[] {
  const { pathname, searchParams } = new URL(written)
  const values = [...searchParams.values()]
  const given = credentials?.split(/[:\s]+/) ?? []
  const plain = [...pathname.split('/'), ...values, ...given, credentials ?? '']
  const parts = [...plain, ...plain.map((each) => encodeURIComponent(each))]
  const hidden = new Set(parts.filter(({ length }) => length >= MIN_HIDDEN))
  return [...hidden].sort((a, b) => b.length - a.length)
}
