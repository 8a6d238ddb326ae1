import { Column, Entity, PrimaryColumn } from 'typeorm'

/** How often an object was asked for on a day (UTC). */
@Entity('usage_counter')
export class UsageCounter {
  @PrimaryColumn('date')
  day: string

  @PrimaryColumn('integer', { name: 'object_id' })
  objectId: number

  @Column('integer')
  count: number
}
