import { LANGUAGES, type Language } from '../../domain/organization.ts'
import { type AcceptItem, acceptItems } from './accept-items.ts'

const RANGE = /^([a-z]{1,8}|\*)(?:-(?:[a-z0-9]{1,8}|\*))*$/i
const WEIGHT = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/**
 * The language of an answer: the best match of `Accept-Language` by lookup (RFC 4647, 3.4: `pt-BR` gets
 * `pt`), by weight, then by order. Malformed ranges are ignored. Without a match, and for `*`, the
 * fallback.
 */
export function bestLanguage(header: string | undefined, fallback: Language): Language {
  if (header === undefined) return fallback
  const ranges = acceptItems(header).flatMap(parseRange)
  const named = new Set(ranges.filter((range) => range.bare).map((range) => range.primary))
  const wanted = ranges.filter((range) => range.weight > 0).sort((a, b) => b.weight - a.weight)
  for (const { primary } of wanted) {
    if (isLanguage(primary)) return primary
    if (primary !== '*') continue
    const unnamed = [fallback, ...LANGUAGES].find((language) => !named.has(language))
    if (unnamed !== undefined) return unnamed
  }
  return fallback
}

function parseRange({
  value,
  parameters,
}: AcceptItem): { primary: string; bare: boolean; weight: number }[] {
  const primary = RANGE.exec(value)?.[1]
  const [weight = 'q=1', ...others] = parameters
  const number = WEIGHT.exec(weight)?.[1]
  if (primary === undefined || number === undefined || others.length > 0) return []
  return [{ primary: primary.toLowerCase(), bare: primary === value, weight: Number(number) }]
}

function isLanguage(text: string): text is Language {
  return (LANGUAGES as readonly string[]).includes(text)
}
