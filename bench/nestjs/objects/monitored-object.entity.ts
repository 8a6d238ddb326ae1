import { Column, Entity, Index, PrimaryColumn } from 'typeorm'

export type Accuracy = {
  device_timezone: string
  maximum_hdop: number
  minimum_difference_point: number
  minimum_gps_level: number
  idle_speed_threshold: number
  minimum_moving_speed: number
  distance_source: string
  stop_detection_method: string
}

/** An object's fields and its last position, each value as answered. */
@Entity('tracked_object')
@Index(['organizationId', 'id'], { unique: true })
@Index(['organizationId', 'ident'], { unique: true })
export class MonitoredObject {
  @PrimaryColumn('integer')
  id: number

  @Column('integer', { name: 'organization_id' })
  organizationId: number

  @Column('text')
  name: string

  @Column('text')
  ident: string

  @Column('timestamptz', { name: 'time_server', nullable: true })
  timeServer: Date | null

  @Column('timestamptz', { name: 'time_device', nullable: true })
  timeDevice: Date | null

  @Column('timestamptz', { name: 'time_last_idle', nullable: true })
  timeLastIdle: Date | null

  @Column('timestamptz', { name: 'time_last_move', nullable: true })
  timeLastMove: Date | null

  @Column('timestamptz', { name: 'time_last_stop', nullable: true })
  timeLastStop: Date | null

  @Column('double precision', { name: 'engine_hours', nullable: true })
  engineHours: number | null

  @Column('text', { name: 'engine_hours_type' })
  engineHoursType: 'sensor' | 'system'

  @Column('double precision', { nullable: true })
  odometer: number | null

  @Column('text', { name: 'odometer_type' })
  odometerType: 'sensor' | 'system'

  @Column('text', { nullable: true })
  vin: string | null

  @Column('text', { name: 'plate_number', nullable: true })
  plateNumber: string | null

  @Column('double precision', { nullable: true })
  mileage: number | null

  @Column('text', { nullable: true })
  address: string | null

  @Column('jsonb')
  accuracy: Accuracy

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date

  @Column('double precision', { nullable: true })
  latitude: number | null

  @Column('double precision', { nullable: true })
  longitude: number | null

  @Column('double precision', { nullable: true })
  altitude: number | null

  @Column('double precision', { nullable: true })
  angle: number | null

  @Column('double precision', { nullable: true })
  speed: number | null
}
