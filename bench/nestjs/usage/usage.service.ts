import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { Repository } from 'typeorm'
import type { Organization } from '../auth/organization.entity.ts'
import { quotaExhausted } from '../refusal.ts'
import { UsageCounter } from './usage-counter.entity.ts'

const WRITE_EVERY_MS = 1_000

/** The daily counters: in memory, and written to the database once a second. */
@Injectable()
export class UsageService implements OnModuleInit, OnModuleDestroy {
  private day = today()
  private counts = new Map<number, number>()
  private unwritten = new Set<number>()
  private timer: NodeJS.Timeout

  constructor(
    @InjectRepository(UsageCounter) private readonly counters: Repository<UsageCounter>,
  ) {}

  async onModuleInit(): Promise<void> {
    for (const { objectId, count } of await this.counters.findBy({ day: this.day })) {
      this.counts.set(objectId, count)
    }
    this.timer = setInterval(() => void this.write(), WRITE_EVERY_MS)
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer)
    await this.write()
  }

  /** Charges each object, or none if one has nothing left. */
  charge({ dailyQuota }: Organization, objects: number[]): void {
    this.turnDay()
    if (dailyQuota !== null) {
      const exhausted = objects.filter((id) => (this.counts.get(id) ?? 0) >= dailyQuota)
      if (exhausted.length > 0) throw quotaExhausted(exhausted)
    }
    for (const id of objects) this.count(id)
  }

  /** Never refuses. */
  count(object: number): void {
    this.turnDay()
    this.counts.set(object, (this.counts.get(object) ?? 0) + 1)
    this.unwritten.add(object)
  }

  private turnDay(): void {
    const now = today()
    if (now === this.day) return
    void this.write()
    this.day = now
    this.counts = new Map()
  }

  private async write(): Promise<void> {
    if (this.unwritten.size === 0) return
    const objects = [...this.unwritten]
    this.unwritten = new Set()
    await this.counters.query(
      `INSERT INTO ${this.counters.metadata.tablePath} (day, object_id, count)
       SELECT $1, * FROM unnest($2::int[], $3::int[])
       ON CONFLICT (day, object_id) DO UPDATE SET count = excluded.count`,
      [this.day, objects, objects.map((id) => this.counts.get(id))],
    )
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}
