import { hash } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { LRUCache } from 'lru-cache'
import { IsNull, Repository } from 'typeorm'
import { ApiKey } from './api-key.entity.ts'
import type { Organization } from './organization.entity.ts'

const CACHED_KEYS = 100_000
const CACHED_MS = 60_000

@Injectable()
export class ApiKeyService {
  private readonly known = new LRUCache<string, ApiKey>({ max: CACHED_KEYS, ttl: CACHED_MS })

  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  /** The organization of a key; null if the key is invalid. */
  async findOrganization(secret: string): Promise<Organization | null> {
    const digest = hash('sha256', secret, 'base64url')
    const key = this.known.get(digest) ?? (await this.read(digest))
    if (key === null || (key.expiresAt !== null && key.expiresAt.getTime() <= Date.now())) {
      return null
    }
    return key.organization
  }

  private async read(digest: string): Promise<ApiKey | null> {
    const key = await this.keys.findOne({
      where: { hash: digest, revokedAt: IsNull() },
      relations: { organization: true },
    })
    if (key !== null) this.known.set(digest, key)
    return key
  }
}
