/** The names of motions. */
export const MOTION_NAMES = {
  moving: 'Moving',
  idle: 'Idle',
  stopped: 'Stopped',
  no_signal: 'No signal',
  unknown: 'Unknown',
} as const
