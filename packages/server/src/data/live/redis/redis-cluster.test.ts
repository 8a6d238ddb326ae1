import { redisContract } from '../../../../testing/live-contract/redis-contract.ts'
import { clusterUrl } from '../../../../testing/servers/shared-redis.ts'

redisContract('a Redis Cluster', await clusterUrl())
