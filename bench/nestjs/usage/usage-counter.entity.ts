import { Column, Entity, PrimaryColumn } from 'typeorm'

/** The number of requests for an object on a day (UTC). */
@Entity('usage_counter')
export class UsageCounter {
  @PrimaryColumn('date')
  day: string

  @PrimaryColumn('integer', { name: 'object_id' })
  objectId: number

  @Column('integer')
  count: number
}
