import { Injectable } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { In, Repository } from 'typeorm'
import type { Organization } from '../auth/organization.entity.ts'
import { MonitoredObject } from '../objects/monitored-object.entity.ts'
import { invalidParameter, objectNotFound } from '../refusal.ts'
import { UsageService } from '../usage/usage.service.ts'
import type { HistoryQuery } from './history-query.dto.ts'
import { POSITION_COLUMNS, type PositionDto } from './position.dto.ts'
import { Position } from './position.entity.ts'

@Injectable()
export class PositionsService {
  constructor(
    @InjectRepository(Position) private readonly positions: Repository<Position>,
    @InjectRepository(MonitoredObject) private readonly objects: Repository<MonitoredObject>,
    private readonly usage: UsageService,
  ) {}

  async history(
    organization: Organization,
    id: number,
    { from_time: from, to_time: to, limit }: HistoryQuery,
  ): Promise<PositionDto[]> {
    if (from > to) throw invalidParameter('From Time must not be after To Time')
    const object = await this.objects.findOne({
      where: { id, organizationId: organization.id },
      select: { id: true, ident: true, name: true, address: true },
    })
    if (object === null) throw objectNotFound()
    this.usage.charge(organization, [id])
    const query = this.positions
      .createQueryBuilder('position')
      .select(POSITION_COLUMNS)
      .where('position.objectId = :id', { id })
      .andWhere('position.timeDevice BETWEEN :from AND :to', { from, to })
      .orderBy('position.timeDevice')
    if (limit !== undefined) query.limit(limit)
    // Raw rows: ten thousand entities would be slower.
    const rows: Omit<PositionDto, 'id' | 'ident' | 'name'>[] = await query.getRawMany()
    const { ident, name, address } = object
    return rows.map((row) => ({ id, ident, name, ...row, address: row.address ?? address }))
  }

  /** In the requested order, without objects of other organizations. */
  async latest(organization: Organization, ids: number[]): Promise<PositionDto[]> {
    const rows: PositionDto[] = await this.objects
      .createQueryBuilder('object')
      .select(['id', 'ident', 'name', ...POSITION_COLUMNS])
      .where({ organizationId: organization.id, id: In(ids) })
      .getRawMany()
    const found = new Map(rows.map((row) => [row.id, row]))
    const own = ids.filter((id) => found.has(id))
    if (own.length === 0) throw objectNotFound()
    this.usage.charge(organization, own)
    return own.map((id) => found.get(id)!)
  }
}
