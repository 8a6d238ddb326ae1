import { Column, Entity, PrimaryColumn } from 'typeorm'

/** The primary key has the order of a history: the rows of one object by time. */
@Entity('position')
export class Position {
  @PrimaryColumn('integer', { name: 'object_id' })
  objectId: number

  @PrimaryColumn('timestamptz', { name: 'time_device' })
  timeDevice: Date

  @Column('timestamptz', { name: 'time_server' })
  timeServer: Date

  @Column('double precision')
  latitude: number

  @Column('double precision')
  longitude: number

  @Column('double precision', { nullable: true })
  altitude: number | null

  @Column('double precision', { nullable: true })
  angle: number | null

  @Column('double precision', { nullable: true })
  speed: number | null

  @Column('double precision', { name: 'engine_hours', nullable: true })
  engineHours: number | null

  @Column('double precision', { nullable: true })
  odometer: number | null

  @Column('double precision', { nullable: true })
  mileage: number | null

  @Column('text', { nullable: true })
  address: string | null
}
