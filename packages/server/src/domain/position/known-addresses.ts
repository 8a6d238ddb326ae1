import type { Language } from '../organization.ts'

/** The address of a place (degrees, WGS 84), or null where none is known. */
export type AddressAt = (latitude: number, longitude: number) => string | null

/**
 * Addresses that are known without asking anybody, for positions that are read. The function is fastest for
 * positions next to each other, as a vehicle sends them. Never rejects.
 */
export type KnownAddresses = (language: Language) => Promise<AddressAt>

export const nothingKnown: AddressAt = () => null
