"""The engines that come with the extra `voice`: espeak-ng speaks, pocketsphinx hears, in processes."""
