import { UndirectedGraph } from "graphology";
import pagerank from "graphology-metrics/centrality/pagerank.js";

/** As in TextRank: the probability of following an edge instead of jumping to any node. */
const DAMPING = 0.85;
/** Each iteration multiplies the error by at most the damping, so the tolerance is reached after about 120 of them. */
const TOLERANCE = 1e-8;
const ITERATIONS_MAX = 300;

/** An undirected weighted graph with the nodes 0..order-1. */
export function createWordGraph(order: number): UndirectedGraph {
  const graph = new UndirectedGraph();
  for (let node = 0; node < order; node++) graph.addNode(node);
  return graph;
}

/** PageRank of the nodes of a graph of `createWordGraph`; the ranks add up to 1. */
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
