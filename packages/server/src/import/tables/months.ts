/** The languages whose names of columns and months are known. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'] as const

/** A name without accents, points and capitals, so that `Févr.` and `fevr` are one. */
export function plainWord(word: string): string {
  const bare = word
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}.]/gu, '')
  return bare.replaceAll('ł', 'l').replaceAll('ß', 'ss')
}

/** The month of each name, long and short, from 1. No name is two months in two of the languages. */
const MONTHS: ReadonlyMap<string, number> = new Map(
  LANGUAGES.flatMap((language) =>
    (['long', 'short'] as const).flatMap((length) =>
      Array.from({ length: 12 }, (_, month): [string, number][] => {
        const date = new Date(Date.UTC(2026, month, 15))
        const alone = new Intl.DateTimeFormat(language, { month: length, timeZone: 'UTC' })
        const inDate = new Intl.DateTimeFormat(language, {
          ...{ day: 'numeric', month: length, timeZone: 'UTC' },
        })
        const part = inDate.formatToParts(date).find(({ type }) => type === 'month')
        return [alone.format(date), part?.value ?? ''].map((name) => [plainWord(name), month + 1])
      }).flat(),
    ),
  ),
)

/** The month with a name, from 1. */
export function monthNamed(name: string): number | undefined {
  return MONTHS.get(plainWord(name))
}
