export * from './errors.ts'
export { type CallOptions, Fleetgate, type FleetgateOptions } from './fleetgate.ts'
export type { HistoryRange } from './history.ts'
export type * from './types.ts'
