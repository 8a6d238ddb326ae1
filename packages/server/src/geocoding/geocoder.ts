import type { KnownAddresses } from '../domain/known-addresses.ts'
import type { Language } from '../domain/organization.ts'

/** The port to what puts a place into words: reverse geocoding. */
export interface Geocoder {
  /**
   * A short address of the place (degrees, WGS 84), or null where nothing is near or no answer could
   * be had. Never rejects. Takes as long as its source needs: call it off the way of an answer.
   */
  address(latitude: number, longitude: number, language: Language): Promise<string | null>
  known: KnownAddresses
  /** Gives up what is under way, which then answers null, and frees what is held. */
  close(): Promise<void>
}
