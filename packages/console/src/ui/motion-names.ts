/** The names of motions. */
export const MOTION_NAMES = {
  moving: 'Moving',
  idle: 'Idle',
  stopped: 'Stopped',
  unknown: 'Unknown',
} as const
