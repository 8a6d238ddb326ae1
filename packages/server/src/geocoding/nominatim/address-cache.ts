import type { Language } from '../../domain/organization.ts'

/** Two positions in one cell have one address: some 50 m, less than a block. */
const CELL_DEGREES = 50 / 111_195
/** Of an address and its key that is some 5 MB. */
const CAPACITY = 20_000

/** What was answered of which cell, null included; the least recently used is forgotten first. */
export type AddressCache = {
  /** Undefined where nothing is known. */
  get(cell: string): string | null | undefined
  set(cell: string, address: string | null): void
}

export function openAddressCache(capacity = CAPACITY): AddressCache {
  /** The least recently used first. */
  const addresses = new Map<string, string | null>()

  function set(cell: string, address: string | null): void {
    addresses.delete(cell)
    addresses.set(cell, address)
    if (addresses.size > capacity) addresses.delete(addresses.keys().next().value!)
  }

  return {
    get(cell) {
      const address = addresses.get(cell)
      if (address !== undefined) set(cell, address)
      return address
    },
    set,
  }
}

/** The name of the cell of a position, as wide as it is high wherever it is. */
export function cellOf(latitude: number, longitude: number, language: Language): string {
  const row = Math.round(latitude / CELL_DEGREES)
  const widening = Math.max(Math.cos((row * CELL_DEGREES * Math.PI) / 180), 0.001)
  const column = Math.round((longitude * widening) / CELL_DEGREES)
  return `${row} ${column} ${language}`
}
