type Values = ReadonlyMap<string, readonly string[]>

/** Parameters of rows besides those of the first release. Whether one of them is malformed. */
export function areRowsWrong(query: Values): boolean {
  return (
    isWrongList(query, 'include', ['quality', 'exact']) || isWrongNumber(query, 'step', 1, 86_400)
  )
}

/** The filters of latest positions. Whether one of them is malformed. */
export function areFiltersWrong(query: Values): boolean {
  return (
    isWrongBox(query) ||
    isWrongNumber(query, 'max_age', 0, 315_360_000) ||
    isWrongSwitch(query, 'skip_exhausted')
  )
}

export function isWrongSwitch(query: Values, name: string): boolean {
  return isRepeated(query, name) || !['', 'true', 'false'].includes(textOf(query, name))
}

export function isRepeated(query: Values, name: string): boolean {
  return (query.get(name)?.length ?? 0) > 1
}

export function textOf(query: Values, name: string): string {
  return query.get(name)?.[0] ?? ''
}

function isWrongNumber(query: Values, name: string, minimum: number, maximum: number): boolean {
  const text = textOf(query, name)
  const isNumber = /^[0-9]+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
  return isRepeated(query, name) || (text !== '' && !isNumber)
}

function isWrongList(query: Values, name: string, words: readonly string[]): boolean {
  const text = [...(query.get(name) ?? []), ...(query.get(`${name}[]`) ?? [])].join(',')
  return text !== '' && !text.split(',').every((word) => words.includes(word.trim()))
}

function isWrongBox(query: Values): boolean {
  const text = textOf(query, 'bbox')
  if (isRepeated(query, 'bbox')) return true
  if (text === '') return false
  const sides = text.split(',')
  if (sides.length !== 4) return true
  if (!sides.every((side) => /^ *[-+]?([0-9]+\.?[0-9]*|\.[0-9]+) *$/.test(side))) return true
  const [west, south, east, north] = sides.map(Number) as [number, number, number, number]
  const isLongitude = (degrees: number) => degrees >= -180 && degrees <= 180
  return !(isLongitude(west) && isLongitude(east) && -90 <= south && south <= north && north <= 90)
}
