const SWITCHES: Readonly<Record<string, boolean>> = {
  ...{ true: true, on: true, yes: true, '1': true },
  ...{ false: false, off: false, no: false, '0': false },
}

/** True or false as senders write them. Undefined if the value is neither. */
export function switchIn(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const isWord = typeof value === 'number' || (typeof value === 'string' && value.length <= 5)
  if (!isWord) return undefined
  const word = String(value).toLowerCase()
  return Object.hasOwn(SWITCHES, word) ? SWITCHES[word] : undefined
}
