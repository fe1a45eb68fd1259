"""SEATauBench: tau2-bench's domains in South-East Asian languages and Chinese, as released."""
