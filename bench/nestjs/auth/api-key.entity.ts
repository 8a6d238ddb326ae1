import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm'
import { Organization } from './organization.entity.ts'

@Entity('api_key')
export class ApiKey {
  /** SHA-256 of the key, base64url. */
  @PrimaryColumn('text')
  hash: string

  @ManyToOne(() => Organization, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'organization_id' })
  organization: Organization

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null
}
