import type { Language } from '../domain/organization.ts'
import type { KnownAddresses } from '../domain/position/object-state.ts'

/** The port to reverse geocoding. */
export interface Geocoder {
  /**
   * A short address of the place (degrees, WGS 84). Null if nothing is near or no answer came. Never
   * rejects. May take as long as its source needs, so call it outside the path of an answer.
   */
  address(latitude: number, longitude: number, language: Language): Promise<string | null>
  known: KnownAddresses
  /** Cancels look-ups, which then return null, and frees resources. */
  close(): Promise<void>
}
