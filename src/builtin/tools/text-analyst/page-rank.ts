import { UndirectedGraph } from "graphology";
import pagerank from "graphology-metrics/centrality/pagerank.js";

/** The probability of following an edge rather than jumping to a random node, as in TextRank. */
const DAMPING = 0.85;
/** Each iteration multiplies the error by at most DAMPING, so the tolerance is reached after about 120 iterations. */
const TOLERANCE = 1e-8;
const ITERATIONS_MAX = 300;

/** Creates an undirected weighted graph with nodes 0 to order - 1. */
export function createWordGraph(order: number): UndirectedGraph {
  const graph = new UndirectedGraph();
  for (let node = 0; node < order; node++) graph.addNode(node);
  return graph;
}

/** The PageRank of each node in a graph from `createWordGraph`. The ranks add up to 1. */
export function computePageRank(graph: UndirectedGraph): number[] {
  // The library never converges on a graph without nodes.
  if (graph.order === 0) return [];
  const ranks = pagerank(graph, {
    getEdgeWeight: "weight",
    alpha: DAMPING,
    tolerance: TOLERANCE,
    maxIterations: ITERATIONS_MAX,
  });
  return Array.from({ length: graph.order }, (_, node) => ranks[node] ?? 0);
}
