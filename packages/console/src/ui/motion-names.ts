/** What an object does, in a word. */
export const MOTION_NAMES = {
  moving: 'Moving',
  idle: 'Idle',
  stopped: 'Stopped',
  unknown: 'Unknown',
} as const
