/** A value of the store that is read when it is first needed, and kept until it changes. */
type KeptRead<Value> = {
  /** The same value until it is outdated. */
  get(): Value | Promise<Value>
  outdate(): void
}

type Reading<Value> = { readonly result: Promise<Value>; known?: { readonly value: Value } }

export function keptRead<Value>(read: () => Promise<Value>): KeptRead<Value> {
  let newest: Reading<Value> | undefined

  function begin(): Reading<Value> {
    const mine: Reading<Value> = {
      result: read().then((value) => {
        mine.known = { value }
        return value
      }),
    }
    // The next caller tries again.
    mine.result.catch(() => {
      if (newest === mine) newest = undefined
    })
    return mine
  }

  return {
    get() {
      newest ??= begin()
      return newest.known === undefined ? newest.result : newest.known.value
    },
    outdate() {
      newest = undefined
    },
  }
}
