import { Column, Entity, PrimaryColumn } from 'typeorm'

@Entity('organization')
export class Organization {
  @PrimaryColumn('integer')
  id: number

  @Column('text')
  name: string

  @Column('text')
  subscription: 'active' | 'inactive' | 'suspended'

  /** `INTEGRATION_API_DAILY`; null is unlimited. */
  @Column('integer', { name: 'daily_quota', nullable: true })
  dailyQuota: number | null
}
