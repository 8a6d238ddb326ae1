import type { IconName } from '../ui/Icon.tsx'

/** A result of a search. */
export type Found = {
  /** The address of its page. */
  to: string
  /** Its address on the map, for a vehicle. */
  onMap?: string
  name: string
  detail?: string
  icon: IconName
}

/** `isReady`: these are the results of what is typed, and not of what was typed before. */
export type FoundGroup = { name: string; items: Found[]; isReady: boolean }

/** Results of a group at once. */
export const MAX_FOUND = 7
