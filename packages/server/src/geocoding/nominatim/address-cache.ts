import type { Language } from '../../domain/organization.ts'

/** Positions in one cell share an address. A cell is about 50 m wide, less than a block. */
const CELL_DEGREES = 50 / 111_195
/** This many addresses and keys take about 5 MB. */
const CAPACITY = 20_000

/** The answers by cell, including null. The least recently used one is dropped first. */
export type AddressCache = {
  /** Undefined if nothing is known. */
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

/** The name of a position's cell. Cells are as wide as they are high everywhere. */
export function cellOf(latitude: number, longitude: number, language: Language): string {
  const row = Math.round(latitude / CELL_DEGREES)
  const widening = Math.max(Math.cos((row * CELL_DEGREES * Math.PI) / 180), 0.001)
  const column = Math.round((longitude * widening) / CELL_DEGREES)
  return `${row} ${column} ${language}`
}
