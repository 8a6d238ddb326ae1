import type { Language } from '../organization.ts'

/** An address, and the JSON of it, made once for all the rows that show it. */
export type KnownAddress = { readonly text: string; readonly json: Uint8Array }

/** The address of a place (degrees, WGS 84), or null where none is known. */
export type AddressAt = (latitude: number, longitude: number) => KnownAddress | null

/**
 * Addresses that are known without asking anybody, for positions that are read. The function is fastest for
 * positions next to each other, as a vehicle sends them. Never rejects.
 */
export type KnownAddresses = (language: Language) => Promise<AddressAt>

export const nothingKnown: AddressAt = () => null

export function knownAddress(text: string): KnownAddress {
  return { text, json: Buffer.from(JSON.stringify(text)) }
}
