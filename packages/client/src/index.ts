export type { AnswerInfo, Quota, RetryInfo } from './answer-info.ts'
export type * from './changes/change-kinds.ts'
export type { ChangesFrom, ChangesOptions, ChangeType } from './changes/changes-options.ts'
export type { ChangesPage } from './changes/changes-page.ts'
export type { CallOptions } from './connection.ts'
export * from './errors.ts'
export type {
  AttributeOptions,
  HistoriesRange,
  LatestOptions,
  ObjectFilter,
  RowOptions,
} from './fleet-positions.ts'
export { Fleetgate, type FleetgateOptions } from './fleetgate.ts'
export type { AskedAttributes, HistoryRange, IncludedFields } from './history.ts'
export type {
  AdherenceRange,
  CoverageRange,
  DayRange,
  LevelRange,
  RecordRange,
  StopRange,
  SummedRange,
  VisitRange,
} from './records.ts'
export { memoryStore } from './replica/memory-store.ts'
export type { Replica, ReplicaOptions } from './replica/replica.ts'
export type { ReplicaData } from './replica/replica-data.ts'
export type * from './replica/replica-store.ts'
export type * from './types.ts'
